// What is made of the operations at the build, for every bundle: a command, or a page, reads neither them nor what parses their inputs.
const ROWS = {
  places: () => import('../src/operations/places.ts'),
  summaries: () => import('../src/operations/summaries.ts'),
  table: () => import('../src/operations/table.ts'),
};

export const finishedRows = {
  name: 'operation-rows',
  async load(id) {
    const name = Object.keys(ROWS).find((each) => id.endsWith(`/src/operations/${each}.ts`));
    return name === undefined ? null : written(await ROWS[name]());
  },
};

/** What a module exports, as a module of plain data. */
function written(values) {
  return Object.entries(values)
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
    .join('');
}
