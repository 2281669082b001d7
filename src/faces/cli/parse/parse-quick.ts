// The parse of plain command lines, without loading a parser: words and exact long options of the command.
// It either agrees with the full parser (parse-command.ts), which a test holds, or gives up.
import { type CommandModule, GLOBAL_OPTIONS, type OptionValue, type Parsed, readFlags } from '../command.ts';

/** The parsed line, or null when it needs the full parser: short options, help, mistakes. */
export function parseQuick(command: CommandModule, argv: readonly string[]): Parsed | null {
  const specs = new Map(
    [...command.options, ...GLOBAL_OPTIONS].map((spec) => [readFlags(spec.flags).long, spec]),
  );
  const values = new Map<string, OptionValue>();
  const words: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const token = argv[at]!;
    if (!token.startsWith('-') || token === '-') {
      words.push(token);
      continue;
    }
    const spec = specs.get(token.slice(2));
    if (!token.startsWith('--') || spec === undefined) return null;
    const { long, takesValue } = readFlags(spec.flags);
    if (!takesValue) {
      values.set(long, true);
      continue;
    }
    at += 1;
    const value = argv[at];
    if (value === undefined) return null;
    const before = values.get(long) as readonly string[] | undefined;
    values.set(long, spec.many ? [...(before ?? []), value] : value);
  }
  return fitsArguments(command, words.length) ? { words, values } : null;
}

function fitsArguments({ arguments: specs }: CommandModule, count: number): boolean {
  const needed = specs.filter((spec) => !spec.optional).length;
  return count >= needed && (count <= specs.length || specs.some((spec) => spec.many));
}
