// A conflict on a terminal: what stands, what lost, and how each of them is chosen.
import type { ConflictJson } from '../../../core/chore-shapes.ts';
import type { Paint } from '../paint.ts';
import { cleanText } from './display-text.ts';
import { lengthOf } from './time-text.ts';

/** @param tracker its name, such as `github` */
export function renderConflict(conflict: ConflictJson, tracker: string, paint: Paint, now: number): string {
  const { task, field, at, lost_side, standing, lost, kept, id, version } = conflict;
  const [ours, theirs] = ['from here', `from ${tracker}`];
  const head = `${paint('yellow', '≠')} ${paint('bold', field.replaceAll('_', ' '))} ${paint('dim', `conflict ${id} · ${lengthOf(now - Date.parse(at ?? ''))} ago · version ${version}`)}`;
  const command = `taskroom settle ${task} --conflict ${id} --seen ${version}`;
  return `${[
    head,
    paint('green', `  it stands, ${lost_side === 'local' ? theirs : ours}:`),
    ...indented(standing),
    paint(
      'red',
      `  it lost, ${lost_side === 'local' ? ours : theirs}${kept === null ? '' : `, kept in ${kept}`}:`,
    ),
    ...indented(lost),
    paint('dim', `  ${command} --keep      leaves it as it stands`),
    paint('dim', `  ${command} --take      takes the text that lost`),
    paint('dim', `  ${command} --text '…'  says it in your words`),
  ].join('\n')}\n`;
}

function indented(text: string): string[] {
  if (text === '') return ['    (nothing)'];
  return cleanText(text)
    .split('\n')
    .map((line) => `    ${line}`);
}
