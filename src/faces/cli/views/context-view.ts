// What an agent would get, for a person to read.
import type { OutputOf } from '../../../operations/client.ts';
import type { Call } from '../command.ts';
import { cleanText } from '../lines/display-text.ts';
import type { Paint } from '../paint.ts';
import { printableJson } from '../printable-json.ts';

export function contextLines(
  { context, prompt }: OutputOf<'context'>,
  paint: Paint,
  _columns: number | null,
  _nowMs: number,
  { terminal }: Call,
): string[] {
  const shown = terminal.outIsTerminal ? cleanText(prompt) : prompt;
  const said = printableJson(JSON.stringify(context, null, 2));
  return [paint('bold', 'Context'), said, '', paint('bold', 'Prompt'), shown.trimEnd()];
}
