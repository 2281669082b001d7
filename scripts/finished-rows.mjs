// What is made of the operations at the build, for every bundle: a command, or a page, reads neither them nor what parses their inputs.
const PLAIN = {
  places: () => import('../src/operations/places.ts'),
  summaries: () => import('../src/operations/summaries.ts'),
};
/** A command reads its own rows: each command's are a module of this name. */
const ROWS = 'operation-rows-';

export const finishedRows = {
  name: 'operation-rows',
  resolveId: (id) => (id.startsWith(ROWS) ? id : null),
  async load(id) {
    if (id.startsWith(ROWS)) return written(await (await table()).rowsOf(id.slice(ROWS.length)));
    if (id.endsWith('/src/operations/table.ts')) return rowsByCommand(await table());
    const name = Object.keys(PLAIN).find((each) => id.endsWith(`/src/operations/${each}.ts`));
    return name === undefined ? null : written(await PLAIN[name]());
  },
};

const table = () => import('../src/operations/table.ts');

/** `table.ts` over those modules. */
function rowsByCommand({ ROWS: all }) {
  const commands = new Set(all.flatMap(({ forms }) => forms.map(({ command }) => command.split(' ')[0])));
  const loads = [...commands].map((each) => `  ${JSON.stringify(each)}: () => import('${ROWS}${each}'),\n`);
  return `const LOAD = {\n${loads.join('')}};\nexport const rowsOf = (command) => LOAD[command]();\n`;
}

/** What a module exports, as a module of plain data. */
function written(values) {
  return Object.entries(values)
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
    .join('');
}
