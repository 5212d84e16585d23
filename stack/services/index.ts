import type { Service } from '../service.ts'
import type { ServiceName } from '../state.ts'
import { openbao } from './openbao.ts'
import { postgres } from './postgres.ts'
import { valkey } from './valkey.ts'

export const services: Record<ServiceName, Service> = { postgres, valkey, openbao }
export const allServices: Service[] = [postgres, valkey, openbao]
