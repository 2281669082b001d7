// The parse of plain command lines by Node's own parser, without loading the full one: words and long options.
// It either agrees with the full parser (parse-command.ts), which a test holds, or gives up.
import { type CommandModule, GLOBAL_OPTIONS, type OptionValue, type Parsed, readFlags } from '../command.ts';

/** The parsed line, or null when it needs the full parser: short options, help, mistakes. */
export function parseQuick(command: CommandModule, argv: readonly string[]): Parsed | null {
  const specs = [...command.options, ...GLOBAL_OPTIONS];
  const options = Object.fromEntries(
    specs.map((spec) => {
      const { long, takesValue } = readFlags(spec.flags);
      return [long, { type: takesValue ? 'string' : 'boolean', multiple: spec.many === true } as const];
    }),
  );
  try {
    // Not imported: the module with all its names takes a twentieth of a small command's start.
    const { parseArgs } = process.getBuiltinModule('node:util');
    const { positionals, values } = parseArgs({ args: [...argv], options, allowPositionals: true });
    if (!fitsArguments(command, positionals.length)) return null;
    return { words: positionals, values: new Map(Object.entries(values) as [string, OptionValue][]) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return null;
  }
}

function fitsArguments({ arguments: specs }: CommandModule, count: number): boolean {
  const needed = specs.filter((spec) => !spec.optional).length;
  return count >= needed && (count <= specs.length || specs.some((spec) => spec.many));
}
