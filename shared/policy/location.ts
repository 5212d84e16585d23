/** True for the address of an OPA server. Anything else is the path of a bundle. */
export const isServerAddress = (location: string): boolean => /^https?:/i.test(location)

/** The base URL of an OPA server, its path ending in `/`; undefined for what is none. */
export function parseServerAddress(location: string): URL | undefined {
  const base = URL.parse(location)
  if (base === null || !isServerAddress(base.protocol)) return undefined
  if (base.username || base.password || base.search || base.hash) return undefined
  if (!base.pathname.endsWith('/')) base.pathname += '/'
  return base
}

/** What a location must be that `isServerAddress`. */
export const serverAddressForm = 'http(s)://host:port of an OPA server, without user, query or fragment'
