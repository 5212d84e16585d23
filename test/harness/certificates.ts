import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generate } from 'selfsigned'

/** `good`, and each way in which a server's certificate is not to be accepted. */
export const certificateKinds = ['good', 'expired', 'other-name', 'stranger'] as const
export type CertificateKind = (typeof certificateKinds)[number]

export interface CertificateFiles {
  readonly cert: string
  readonly key: string
}

export interface Certificates extends Record<CertificateKind, CertificateFiles> {
  /** The authority that signed all but the stranger's. */
  readonly authority: string
}

const day = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * day)
const here = [
  { type: 2, value: 'localhost' },
  { type: 7, ip: '127.0.0.1' },
] as const

/** Certificates for servers on loopback, made now, as PEM files in this directory. */
export async function makeCertificates(directory: string): Promise<Certificates> {
  const [authority, other] = [await makeAuthority('test'), await makeAuthority('another')]
  const signed = { ca: { key: authority.private, cert: authority.cert } }
  const made = {
    good: await make({ ...signed, names: here }),
    expired: await make({ ...signed, names: here, from: inDays(-2), to: inDays(-1) }),
    'other-name': await make({ ...signed, names: [{ type: 2, value: 'other.example.com' }] }),
    stranger: await make({ ca: { key: other.private, cert: other.cert }, names: here }),
  }
  const write = async (name: string, text: string) => {
    const file = join(directory, name)
    await writeFile(file, text, { mode: 0o600 })
    return file
  }
  const files = async (kind: CertificateKind) => ({
    cert: await write(`${kind}.crt`, made[kind].cert),
    key: await write(`${kind}.key`, made[kind].private),
  })
  return {
    good: await files('good'),
    expired: await files('expired'),
    'other-name': await files('other-name'),
    stranger: await files('stranger'),
    authority: await write('authority.crt', authority.cert),
  }
}

const keys = { keyType: 'ec', algorithm: 'sha256' } as const

function makeAuthority(name: string) {
  return generate([{ name: 'commonName', value: `authority ${name}` }], {
    ...keys,
    notBeforeDate: inDays(-3),
    notAfterDate: inDays(3),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  })
}

interface Wanted {
  readonly ca: { readonly key: string; readonly cert: string }
  readonly names: readonly ({ type: 2; value: string } | { type: 7; ip: string })[]
  readonly from?: Date
  readonly to?: Date
}

function make({ ca, names, from = inDays(-1), to = inDays(1) }: Wanted) {
  return generate([{ name: 'commonName', value: 'server' }], {
    ...keys,
    ca,
    notBeforeDate: from,
    notAfterDate: to,
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: [...names] },
    ],
  })
}
