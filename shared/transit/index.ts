import type { OpenBaoAddress } from './http.ts'
import { OpenBaoHttp } from './http.ts'
import type { AppRole } from './login.ts'
import { Login } from './login.ts'
import { Transit } from './transit.ts'

export type { ItemError } from './answer.ts'
export { keyVersionOf } from './answer.ts'
export { secretIdFromFile } from './login.ts'
export type { Transit } from './transit.ts'

/** Opens Transit under an AppRole. `close` gives the token back. */
export function openTransit(address: OpenBaoAddress, role: AppRole): { transit: Transit; close: () => Promise<void> } {
  const http = new OpenBaoHttp(address)
  const login = new Login(http, role)
  return {
    transit: new Transit(http, login),
    close: async () => {
      await login.close()
      await http.close()
    },
  }
}
