import type { Place, ServiceName, ServiceRecord } from './state.ts'

export type Progress = (message: string) => void

/** A server's program, and where it was found. */
export interface Binary {
  readonly source: 'path' | 'packaged'
  readonly file: string
  readonly version: string
}

interface ContainerPlan {
  readonly image: string
  /** Inside the container; published as the record's first port, on loopback only. */
  readonly port: number
  /** Where the data volume goes. */
  readonly mount: string
  /** Handed over by a file, never on the command line. */
  readonly environment: Record<string, string>
  readonly options: string[]
  readonly args: string[]
}

/** What is particular about one of the three servers. Everything else about starting and stopping is common. */
export interface Service {
  readonly name: ServiceName
  readonly title: string
  /** The environment variable with the URL of a server to use instead, and the one with its token if it needs one. */
  readonly urlVariable: string
  readonly tokenVariable?: string
  readonly programs: string
  readonly portCount: number
  readonly stopSignal: NodeJS.Signals

  /** Throw with the reason when there is none that will do. */
  findOnPath(): Promise<Binary>
  findPackaged(progress: Progress): Promise<Binary>
  /** Whether this version reads the data that another one made. */
  reads(madeByVersion: string, version: string): boolean

  /** Makes what has to be there before the start: data directory, configuration file. */
  prepare(
    place: Place,
    record: ServiceRecord,
    binary: Binary,
    progress: Progress,
  ): Promise<{ file: string; args: string[] }>
  container(record: ServiceRecord): ContainerPlan

  /**
   * One try at a server of ours: does it accept work, complete with database, or initialised and unsealed? It does itself
   * what is lacking, and calls `save` when that changed the record.
   */
  ready(record: ServiceRecord, save: () => void): Promise<boolean>
  /** One try at a server of the user's. */
  answers(url: string, token?: string): Promise<boolean>
  /** The address of a server of ours, with its password. */
  address(record: ServiceRecord): string
}
