/** OpenBao Transit unwraps 20 DEKs in one call at about the latency of one. */
export const itemsPerBatch = 20

/** More batches in flight than a server answers at once, so that none of them waits for us. */
export const batchesInFlight = 32
