// Views of what a room has beside its tasks: chores, mirrors and conflicts, plans, scopes, webhooks, workers, tokens.
import type { ChoreJson, ConflictJson, MirrorJson } from '../../core/chore-shapes.ts';
import { formatProblem, type Problem } from '../../core/errors.ts';
import { shownName } from '../../core/task/names.ts';
import type { OutputOf } from '../../operations/client.ts';
import type { PlanJson } from '../../tasks/shapes/room.ts';
import type { TokenJson } from '../../tasks/shapes/turn.ts';
import type { Call } from '../command.ts';
import { choreSign, lastRun, nextRun } from '../lines/chore-words.ts';
import { cleanLine, cleanText, displayWidth, fit, plural, truncate } from '../lines/display-text.ts';
import { findingLines, row, rowsOr, type ViewStyle } from '../lines/row.ts';
import { lengthOf } from '../lines/time-text.ts';
import { workerLine } from '../lines/turn-lines.ts';
import type { Color, Paint } from '../paint.ts';
import { withDocsFolder } from '../version.ts';

const wrong = (paint: Paint, text: string, indent = '  ') =>
  `${indent}${paint('red', '!')} ${cleanLine(text)}`;

type Unreadable = readonly { problems: readonly unknown[] }[];
const problemsOf = (invalid: Unreadable, paint: Paint) =>
  invalid.flatMap(({ problems }) => problems.map((each) => wrong(paint, formatProblem(each as Problem))));

export function choreLines({ chores, invalid }: OutputOf<'listChores'>, style: ViewStyle): string[] {
  const { paint, columns, nowMs } = style;
  if (chores.length + invalid.length === 0) return [paint('dim', 'no chores')];
  const lines = chores.flatMap((chore) => {
    const cells = [choreSign(chore, '⠋'), [chore.name, 24], [chore.source ?? 'prompt', 24]] as const;
    const trouble = troubleOf(chore);
    const last = truncate(cleanLine(lastRun(chore, nowMs, lengthOf)), columns === null ? null : columns - 4);
    return [
      row(style, cells, `${cleanLine(chore.schedule ?? 'only when asked')}  ${nextRun(chore, nowMs)}`),
      paint('dim', `    ${last}`),
      ...(trouble === '' ? [] : [wrong(paint, trouble, '    ')]),
    ];
  });
  return [...lines, ...problemsOf(invalid, paint)];
}

function troubleOf({ sync, result }: ChoreJson): string {
  if (!sync?.error) return '';
  const { message, hint } = sync.error;
  // A run of its own that failed says the message already.
  const isSaid = result !== null && !result.ok && result.message.includes(message);
  return [isSaid ? '' : message, hint].filter(Boolean).join('; ');
}

const MIRROR_STATES: Readonly<Record<MirrorJson['state'], readonly [word: string, color: Color]>> = {
  in_sync: ['in sync', 'green'],
  pending: ['pending', 'cyan'],
  conflict: ['conflict', 'yellow'],
  detached: ['detached', 'dim'],
  untrusted: ['paused by trust', 'yellow'],
  error: ['error', 'red'],
};
const STATE_CELLS = Math.max(...Object.values(MIRROR_STATES).map(([word]) => word.length));

export function mirrorLines({ mirrors }: OutputOf<'listMirrors'>, style: ViewStyle): string[] {
  const { paint, nowMs } = style;
  const refCells = Math.min(40, Math.max(0, ...mirrors.map(({ ref }) => displayWidth(cleanLine(ref)))));
  return rowsOr(mirrors, style, 'no mirrors; see: taskroom sync --help', (mirror) => {
    const { state, ref, name, title, task, message, synced_at } = mirror;
    const [word, color] = MIRROR_STATES[state];
    const when = synced_at === null ? 'never synced' : `${lengthOf(nowMs - Date.parse(synced_at))} ago`;
    const head = `${paint(color, fit(word, STATE_CELLS))}  ${fit(cleanLine(ref), refCells)}`;
    const line = `${head}  ${cleanLine(shownName({ title, name: name ?? '(no file)' }))} ${paint('dim', `${task} · ${when}`)}`;
    return message === null
      ? line
      : [line, `${' '.repeat(STATE_CELLS)}  ${paint('dim', cleanLine(message))}`];
  });
}

export function conflictLines(output: OutputOf<'listConflicts'>, style: ViewStyle): string[] {
  const { conflicts, name, title, task, ref, provider } = output;
  const { paint } = style;
  if (conflicts.length === 0) return [`${paint('green', '✓')} nothing to settle`];
  const head = `${paint('bold', cleanLine(shownName({ title, name: name ?? task })))} ${paint('dim', cleanLine(ref))}`;
  return [head, ...conflicts.flatMap((each) => oneConflict(each, `from ${provider}`, style))];
}

function oneConflict(conflict: ConflictJson, theirs: string, { paint, nowMs }: ViewStyle): string[] {
  const { task, field, at, lost_side, standing, lost, kept, id, version } = conflict;
  const about = `conflict ${id} · ${lengthOf(nowMs - Date.parse(at ?? ''))} ago · version ${version}`;
  const isOurs = lost_side === 'local';
  const command = `taskroom mirror settle ${task} --conflict ${id} --seen ${version}`;
  return [
    `${paint('yellow', '≠')} ${paint('bold', field.replaceAll('_', ' '))} ${paint('dim', about)}`,
    paint('green', `  it stands, ${isOurs ? theirs : 'from here'}:`),
    ...indented(standing),
    paint('red', `  it lost, ${isOurs ? 'from here' : theirs}${kept === null ? '' : `, kept in ${kept}`}:`),
    ...indented(lost),
    paint('dim', `  ${command} --keep      leaves it as it stands`),
    paint('dim', `  ${command} --take      takes the text that lost`),
    paint('dim', `  ${command} --text '…'  says it in your words`),
  ];
}

const indented = (text: string) => (cleanText(text) || '(nothing)').split('\n').map((line) => `    ${line}`);

export function planLines({ plans, invalid }: OutputOf<'listPlans'>, style: ViewStyle): string[] {
  const { paint } = style;
  if (plans.length + invalid.length === 0) return [paint('dim', 'no plans')];
  const lines = plans.flatMap((plan) => {
    const [name, stage] = [[plan.name, 32] as const, [plan.stage, 10] as const];
    const problems = plan.problem === null ? [] : [wrong(paint, plan.problem, '    ')];
    return [row(style, [name, stage], planFacts(plan)), ...problems];
  });
  return [...lines, ...problemsOf(invalid, paint)];
}

export function planDetailLines(plan: OutputOf<'showPlan'>, { paint }: ViewStyle): string[] {
  const title = plan.title === null ? '' : `  ${cleanLine(plan.title)}`;
  const steps = plan.step_list.map(({ title: words, done, task, status }, index) => {
    const sign = done || status === 'done' ? '✓' : '☐';
    const linked = task === null ? '' : paint('dim', `  ${task} ${status ?? 'not found'}`);
    return `  ${sign} ${index + 1}. ${cleanLine(words)}${linked}`;
  });
  return [
    `${cleanLine(plan.name)}${title}`,
    paint('dim', `  ${plan.path} · ${cleanLine(plan.stage)} · ${planFacts(plan)}`),
    ...(plan.problem === null ? [] : [wrong(paint, plan.problem, '    ')]),
    ...steps,
  ];
}

function planFacts({ steps, tasks, sprint, scope, owner }: PlanJson): string {
  const parts = [
    tasks.total === 0 ? plural(steps, 'step') : `${tasks.done} of ${plural(tasks.total, 'task')} done`,
    sprint === null ? null : `sprint ${cleanLine(sprint)}`,
    scope === null ? null : `scope ${cleanLine(scope)}`,
    owner === null ? null : `for ${cleanLine(owner)}`,
  ];
  return parts.filter((part) => part !== null).join(' · ');
}

export function scopeLines({ scopes }: OutputOf<'listScopes'>, style: ViewStyle): string[] {
  return rowsOr(scopes, style, 'no scopes', ({ name, created_by, counts }) => {
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const tasks = total === 0 ? 'no tasks' : `${counts.done} of ${plural(total, 'task')} done`;
    const isPersons = created_by === null || created_by === 'owner';
    const maker = isPersons ? '' : style.paint('dim', `  ${cleanLine(created_by)}`);
    return `${row(style, [[name, 36]])}  ${tasks}${maker}`;
  });
}

const ABOUT_CELLS = 16;

export function hookLines({ checks, deliveries }: OutputOf<'checkHooks'>, { paint, nowMs }: ViewStyle) {
  const lines = checks.flatMap(({ about, hint, ...check }) => {
    const finding = { ...check, hint: hint === null ? null : withDocsFolder(hint) };
    return findingLines(about, ABOUT_CELLS, finding, paint);
  });
  const counts = deliveries.map(({ provider, chore, what, count, at }) => {
    const whose = fit(cleanLine(chore ?? provider), ABOUT_CELLS);
    const ago = lengthOf(nowMs - Date.parse(at));
    return `  ${whose} ${fit(cleanLine(what), 28)} ${String(count).padStart(7)}  last ${ago} ago`;
  });
  return [...lines, ...(counts.length === 0 ? [] : ['', ...counts])];
}

export function workerLines({ workers }: OutputOf<'listWorkers'>, style: ViewStyle): string[] {
  const none = 'no workers: docs/scaling.md says how another machine becomes one';
  return rowsOr(workers, style, none, (worker) => [
    workerLine(worker, style.paint),
    ...worker.turns.map((turn) => `    ${turn}`),
  ]);
}

export function tokenLines({ tokens }: OutputOf<'listTokens'>, style: ViewStyle): string[] {
  return rowsOr(tokens, style, 'no tokens; the first taskroom up makes yours', (token) => {
    const used = token.used_at === null ? 'never used' : `used ${token.used_at.slice(0, 16)}`;
    const facts = style.paint('dim', `${token.id} ${used}`);
    return `${cleanLine(token.name).padEnd(20)} ${describeToken(token)} ${facts}`;
  });
}

/** The description goes to stderr, so that a script gets only the token. */
export function newTokenLines(made: OutputOf<'createToken'>, { paint }: ViewStyle, { terminal }: Call) {
  terminal.writeError(paint('dim', `${describeToken(made)}; it is not shown again\n`));
  return [made.token];
}

const ACCESS: Readonly<Record<TokenJson['access'], string>> = {
  full: 'may do all that you may',
  assistant: 'has the rights of an agent',
  readonly: 'only looks',
  worker: 'takes turns for a worker',
};

function describeToken({ kind, access, tasks, agents, expires_at }: TokenJson): string {
  const whose = kind === 'session' ? 'a browser, ' : '';
  const only = tasks === null ? '' : `, only at ${tasks.join(', ')}`;
  const whom = agents === null ? '' : `, of ${agents.map(cleanLine).join(', ')} alone`;
  const until = expires_at === null ? '' : `, until ${expires_at.slice(0, 16)}`;
  return `${whose}${ACCESS[access]}${only}${whom}${until}`;
}
