export { type FieldMapping, parseFields } from './fields.ts'
export { formatOf } from './format.ts'
export type { Format, Row, Table, TableOptions } from './row.ts'
export { readTable, scanTable, type TableScan } from './table.ts'
