import { describe, expect, test } from 'vitest'
import { certificateProblem } from '../../../../shared/errors/certificates.ts'

const setting = 'BAO_CACERT'

describe('what Node says of a certificate', () => {
  test.each([
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'CERT_UNTRUSTED',
    'CERT_SIGNATURE_FAILURE',
    'INVALID_CA',
    'INVALID_PURPOSE',
  ])('%s is told with the setting that names authorities', (code) => {
    expect(certificateProblem(code, setting)).toMatch(
      new RegExp(`certificate that is not accepted \\(${code}\\).*${setting}`),
    )
  })

  test.each([
    ['CERT_HAS_EXPIRED', 'expired'],
    ['CERT_NOT_YET_VALID', 'not valid yet'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'another name'],
    ['EPROTO', 'does not speak TLS'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'does not speak TLS'],
  ])('%s is told as what it is, and no authority is blamed', (code, words) => {
    expect(certificateProblem(code, setting)).toContain(words)
    expect(certificateProblem(code, setting)).not.toContain(setting)
  })

  test.each([undefined, 'ECONNREFUSED', 'ETIMEDOUT', 'ENOTFOUND', '28P01', 'UND_ERR_SOCKET'])(
    '%s is another trouble',
    (code) => {
      expect(certificateProblem(code, setting)).toBeUndefined()
    },
  )
})
