/** The setting with which a measurement had the greatest figure; each is tried once. */
export async function fastestOf<S>(settings: readonly S[], measure: (setting: S) => Promise<number>): Promise<S> {
  let best: { readonly setting: S; readonly figure: number } | undefined
  for (const setting of settings) {
    const figure = await measure(setting)
    if (figure > (best?.figure ?? 0)) best = { setting, figure }
  }
  if (best === undefined) throw new Error('nothing was tried')
  return best.setting
}
