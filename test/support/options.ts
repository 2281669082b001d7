// The command line of a storm's script: `--help` prints it, and a wrong word ends with status 2 before anything runs.
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/** @param usage how the script is called @param counts its whole numbers, and what each is when left out */
export function readOptions<Count extends string, Flag extends string = never>(
  usage: string,
  counts: Readonly<Record<Count, number>>,
  flags: readonly Flag[] = [],
): Record<Count, number> & Record<Flag, boolean> {
  const texts = Object.keys(counts).map((name) => [name, { type: 'string' }] as const);
  const words = [...flags, 'help'].map((name) => [name, { type: 'boolean' }] as const);
  try {
    const options: ParseArgsOptionsConfig = Object.fromEntries<{ type: 'string' | 'boolean' }>([
      ...texts,
      ...words,
    ]);
    const values: Readonly<Record<string, unknown>> = parseArgs({ options }).values;
    if (values.help === true) end(process.stdout, 0, usage);
    for (const [name] of texts)
      if (!/^\d+$/.test(String(values[name] ?? 0)))
        throw new Error(`--${name} takes a whole number, not "${values[name]}"`);
    const given = texts.flatMap(([name]) =>
      values[name] === undefined ? [] : [[name, Number(values[name])]],
    );
    const set = flags.map((name) => [name, values[name] === true]);
    return { ...counts, ...Object.fromEntries([...given, ...set]) } as Record<Count, number> &
      Record<Flag, boolean>;
  } catch (error) {
    return end(process.stderr, 2, `${(error as Error).message}\n${usage}`);
  }
}

function end(stream: NodeJS.WriteStream, status: number, words: string): never {
  stream.write(`${words}\n`);
  process.exit(status);
}
