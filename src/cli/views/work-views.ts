// Views of turns, jobs, finished tasks, notices, the inbox, resources and a context.
import { shownName } from '../../core/task/names.ts';
import type { OutputOf } from '../../operations/client.ts';
import type { JobJson } from '../../tasks/shapes/turn.ts';
import type { Call } from '../command.ts';
import { cleanLine, cleanText, printableJson, truncate } from '../lines/display-text.ts';
import { inboxSign } from '../lines/glyphs.ts';
import { row, rowsOr, type ViewStyle } from '../lines/row.ts';
import { dateTime, lengthOf } from '../lines/time-text.ts';
import { noticeText, turnLine } from '../lines/turn-lines.ts';
import type { Color } from '../paint.ts';

export const turnLines = ({ turns }: OutputOf<'listTurns'>, style: ViewStyle): string[] =>
  rowsOr(turns, style, 'no turns', (turn) => turnLine(turn, style));

export const jobLines = ({ jobs }: OutputOf<'listJobs'>, style: ViewStyle): string[] =>
  rowsOr(jobs, style, 'no jobs', (job) => jobLine(job, style));

export function jobDetailLines(job: OutputOf<'showJob'>, style: ViewStyle): string[] {
  const { output, output_offset: next, output_bytes: size } = job;
  return [
    jobLine(job, style),
    ...(output === '' ? [] : [cleanText(output).replace(/\n$/, '')]),
    ...(next < size ? [style.paint('dim', `  more: taskroom job show ${job.id} --from ${next}`)] : []),
  ];
}

const JOB_COLORS: Readonly<Record<JobJson['state'], Color>> = {
  pending: 'yellow',
  running: 'cyan',
  completed: 'green',
  failed: 'red',
  killed: 'dim',
};

function jobLine(job: JobJson, style: ViewStyle): string {
  const { id, state, agent, description, keep, message, started_at: from, ended_at: to } = job;
  const ended = to === null ? style.nowMs : Date.parse(to);
  const took = from === null ? '' : lengthOf(ended - Date.parse(from));
  const said = message ? ` · ${cleanLine(message)}` : '';
  const cells = [...[[id, id.length] as const], [state, 10, JOB_COLORS[state]] as const];
  const rest = `${cleanLine(description)}${keep ? ' (kept)' : ''}${said}`;
  return row(style, [...cells, [took, 8], [agent, 12]], rest);
}

export function historyLines({ history }: OutputOf<'history'>, style: ViewStyle): string[] {
  const { paint } = style;
  return rowsOr(history, style, 'nothing is finished yet', ({ archived_at, id, name, status, task }) => {
    const glyph = status === 'done' ? paint('green', '✓') : paint('dim', '✗');
    return `  ${glyph} ${dateTime(Date.parse(archived_at))}  ${paint('dim', id.padEnd(8))}  ${cleanLine(shownName({ name, title: task.title as string | null }))}`;
  });
}

export function noticeLines({ notices }: OutputOf<'listNotices'>, style: ViewStyle): string[] {
  const { paint } = style;
  return rowsOr(notices, style, 'nobody told you anything', (notice) => {
    const sign = notice.told ? ' ' : paint('magenta', '✉');
    const failed = notice.error === null ? '' : paint('dim', ` (not sent: ${cleanLine(notice.error)})`);
    return `${sign} ${cleanLine(noticeText(notice))}${failed}`;
  });
}

export function inboxLines({ inbox }: OutputOf<'inbox'>, style: ViewStyle): string[] {
  const { paint, columns, nowMs } = style;
  if (inbox.length === 0) return [`${paint('green', '✓')} nothing needs you`];
  return inbox.flatMap(({ kind, name: file, title, text, settle, at }) => {
    const name = title ?? file;
    const [sign, color] = inboxSign(kind);
    const about = name === null || text.startsWith(name) ? '' : `${cleanLine(name)}: `;
    const since = at === null ? nowMs : Date.parse(at);
    const age = nowMs <= since ? '' : paint('dim', ` (${lengthOf(nowMs - since)})`);
    const words = truncate(`${about}${cleanLine(text)}`, columns === null ? null : columns * 2 - 12);
    return [`${paint(color, sign)} ${words}${age}`, `    ${paint('dim', cleanLine(settle))}`];
  });
}

export function acceptedLines({ accepted }: OutputOf<'accept'>, style: ViewStyle): string[] {
  return rowsOr(accepted, style, 'nothing waits to be accepted', ({ name, text }) => {
    return `${style.paint('green', '✓')} ${cleanLine(name)} accepted: ${cleanLine(text)}`;
  });
}

export function resourceLines({ resources }: OutputOf<'listResources'>, style: ViewStyle): string[] {
  return rowsOr([...resources.entries()], style, 'no resources', ([index, { value, label }]) => {
    const name = label === null ? '' : `  ${style.paint('dim', cleanLine(label))}`;
    return `${index + 1}  ${cleanLine(value)}${name}`;
  });
}

export function contextLines(output: OutputOf<'context'>, style: ViewStyle, { terminal }: Call): string[] {
  const { paint } = style;
  const { context, prompt } = output;
  const shown = terminal.outIsTerminal ? cleanText(prompt) : prompt;
  const said = printableJson(JSON.stringify(context, null, 2));
  return [paint('bold', 'Context'), said, '', paint('bold', 'Prompt'), shown.trimEnd()];
}
