/*
 * Why a server's certificate was not accepted, by the codes of Node's TLS. At the start it is said to whoever started us:
 * that a server cannot be reached would send them looking for a network.
 */

const particular: Record<string, string | undefined> = {
  CERT_HAS_EXPIRED: 'has expired: renew it on the server, or set the clock of this host right',
  CERT_NOT_YET_VALID: 'is not valid yet: set the clock of this host right, or the dates of the certificate',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another name: the address must name the server as its certificate does',
}

/** Of OpenSSL's verification, each of which names a certificate, an authority or a chain. */
const verification = /^(CERT_|CA_)|_CERT(_|$)|_CRL(_|$)|^INVALID_(CA|PURPOSE)$|LEAF_SIGNATURE$|^PATH_LENGTH_EXCEEDED$/
const noTls = /^(EPROTO$|ERR_SSL_)/

/** `authorities`: the setting that names the authorities for this server. Undefined if the trouble is another. */
export function certificateProblem(code: string | undefined, authorities: string): string | undefined {
  if (code === undefined) return undefined
  if (noTls.test(code)) return `does not speak TLS as it should (${code}): is this the port for it?`
  const trouble =
    particular[code] ??
    (verification.test(code)
      ? `is of an authority that is not trusted here: name that authority's file in ${authorities}`
      : undefined)
  return trouble && `shows a certificate that is not accepted (${code}). It ${trouble}.`
}

/** The settings that name authorities beside those that Node trusts anyway. */
export const authoritySettings = {
  postgres: 'the parameter `sslrootcert` of DATABASE_URL, or in NODE_EXTRA_CA_CERTS',
  transit: 'BAO_CACERT, or in NODE_EXTRA_CA_CERTS',
  policy: 'NODE_EXTRA_CA_CERTS',
  redis: 'NODE_EXTRA_CA_CERTS',
} as const
