import type { CustomSeriesOption, EChartsOption, SeriesOption } from 'echarts'
import { init } from 'echarts'
import type { Spread } from '../measure/statistics.ts'

/** A picture for readers who would rather look than read. `name` is its file's name, without the ending. */
export interface Chart {
  readonly name: string
  readonly option: EChartsOption
}

export interface Series {
  readonly name: string
  /** One for each category; undefined where nothing was measured. */
  readonly values: readonly (number | Spread | undefined)[]
  /** Of a line chart with two axes: against the right one. */
  readonly onRight?: boolean
}

interface ChartOptions {
  readonly name: string
  readonly title: string
  /** What the load was; one line. */
  readonly subtitle?: string
  /** Of the values. */
  readonly unit: string
  readonly unitOnRight?: string
  /** Of the categories, where they do not speak for themselves. */
  readonly categoryTitle?: string
  readonly categories: readonly (string | number)[]
  readonly series: readonly Series[]
  /** Where the axis ends, if not at a round number above the values. */
  readonly most?: number
}

const size = { width: 760, height: 420 }
const ink = '#24292f'
const faint = '#d0d7de'
/** Okabe and Ito's, told apart by the colour-blind too, and two greys in place of their yellow and black. */
const colours = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#8c959f', '#424a53', '#b8c5d1']
const colourOf = (index: number): string => colours[index % colours.length] as string

/** Bars side by side, each with its number and, where there were rounds, their spread. */
export function barChart(options: ChartOptions): Chart {
  const series: SeriesOption[] = options.series.flatMap((one, index) => [
    { type: 'bar', name: one.name, color: colourOf(index), data: one.values.map(middleOf), ...gaps },
    marks(one, index, options.series.length),
  ])
  return { name: options.name, option: { ...frame(options), series } }
}

/** Bars on top of each other, for parts of a whole. */
export function stackedChart(options: ChartOptions): Chart {
  const heights = options.categories.map((_, category) =>
    options.series.reduce((sum, { values }) => sum + (middleOf(values[category]) ?? 0), 0),
  )
  const tooLow = Math.max(...heights) * leastLabelledShare
  const series: SeriesOption[] = options.series.map((one, index) => ({
    type: 'bar',
    name: one.name,
    stack: 'all',
    barMaxWidth: 72,
    color: colourOf(index),
    data: one.values.map(middleOf),
    label: {
      show: true,
      color: isDark(colourOf(index)) ? '#ffffff' : ink,
      fontSize: 11,
      formatter: ({ value }) => (Number(value) < tooLow ? '' : label(Number(value))),
    },
  }))
  return { name: options.name, option: { ...frame(options), series } }
}

/** Of the chart's height: a label on less would lie over its neighbours. */
const leastLabelledShare = 0.05

/** Lines over the categories, the second unit's against an axis of its own. */
export function lineChart(options: ChartOptions): Chart {
  const series: SeriesOption[] = options.series.map((one, index) => ({
    type: 'line',
    name: one.name,
    color: colourOf(index),
    yAxisIndex: one.onRight ? 1 : 0,
    symbolSize: 7,
    lineStyle: { width: 2, type: one.onRight ? 'dashed' : 'solid' },
    data: one.values.map(middleOf),
  }))
  return { name: options.name, option: { ...frame(options), series } }
}

/** SVG without a browser. */
export function svgOf({ option }: Chart): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, ...size })
  try {
    chart.setOption({ animation: false, ...option })
    return chart.renderToSVGString()
  } finally {
    chart.dispose()
  }
}

const middleOf = (value: number | Spread | undefined): number | null =>
  value === undefined ? null : typeof value === 'number' ? value : value.median

function frame(options: ChartOptions): EChartsOption {
  const { title, subtitle, unit, unitOnRight, categoryTitle, categories, series, most } = options
  const axis = { axisLabel: { color: ink }, nameTextStyle: { color: ink }, splitLine: { lineStyle: { color: faint } } }
  const values = (name: string) => ({
    type: 'value' as const,
    name,
    min: 0,
    ...(most === undefined ? {} : { max: most }),
    ...axis,
  })
  return {
    // Drawn on white of its own, so that it can be read on any page.
    backgroundColor: '#ffffff',
    textStyle: { fontFamily: 'Helvetica, Arial, sans-serif', color: ink },
    title: {
      text: title,
      ...(subtitle === undefined ? {} : { subtext: subtitle }),
      left: 16,
      top: 10,
      textStyle: { fontSize: 15, color: ink },
      subtextStyle: { fontSize: 11, color: '#57606a' },
    },
    // Wide gaps, since a reader's font may be wider than the one that was reckoned with.
    legend: {
      data: series.map(({ name }) => name),
      bottom: 10,
      itemWidth: 14,
      itemHeight: 10,
      itemGap: 26,
      textStyle: { color: ink, fontSize: 11 },
    },
    grid: {
      left: 64,
      right: unitOnRight === undefined ? 24 : 64,
      top: 92,
      bottom: (categoryTitle === undefined ? 70 : 90) + (series.length > seriesInALine ? 44 : 0),
    },
    xAxis: {
      type: 'category',
      data: categories.map(String),
      ...(categoryTitle === undefined ? {} : { name: categoryTitle, nameLocation: 'middle', nameGap: 28 }),
      ...axis,
    },
    yAxis: [
      values(unit),
      ...(unitOnRight === undefined ? [] : [{ ...values(unitOnRight), splitLine: { show: false } }]),
    ],
  }
}

const seriesInALine = 5

const gaps = { barGap: '15%', barCategoryGap: '28%' }

/** Over each bar of a series: its number, and a line from the least to the greatest round. */
function marks(series: Series, index: number, of: number): CustomSeriesOption {
  return {
    type: 'custom',
    z: 10,
    silent: true,
    data: series.values.map((_, category) => category),
    renderItem: (_, api) => {
      const category = Number(api.value(0))
      const value = series.values[category]
      const middle = middleOf(value)
      const layout = api.barLayout?.({ ...gaps, count: of })?.[index]
      if (value === undefined || middle === null || layout === undefined) return
      const [min, max] = typeof value === 'number' ? [value, value] : [value.min, value.max]
      const place = (at: number) => api.coord([category, at])
      const x = (place(0)[0] ?? 0) + layout.offsetCenter
      const [low, high] = [place(min)[1] ?? 0, place(max)[1] ?? 0]
      return {
        type: 'group',
        children: [
          { type: 'line', shape: { x1: x, y1: low, x2: x, y2: high }, style: { stroke: ink, lineWidth: 1.5 } },
          {
            type: 'text',
            x,
            y: high - 5,
            style: { text: label(middle), fill: ink, fontSize: 11, align: 'center', verticalAlign: 'bottom' },
          },
        ],
      }
    },
  }
}

/** `12.3k`, `845`, `6.4`, `0.38`. */
function label(value: number): string {
  if (value >= 100_000) return `${Math.round(value / 1_000)}k`
  if (value >= 1_000) return `${(value / 1_000).toFixed(1)}k`
  if (value >= 100) return value.toFixed(0)
  return value >= 10 ? value.toFixed(1) : value.toFixed(2)
}

/** Whether white is read better on it than black. */
function isDark(colour: string): boolean {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
  return 0.299 * red + 0.587 * green + 0.114 * blue < 128
}
