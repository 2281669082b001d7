// One task: its facts above, its text below.
import type { Budget } from '../../core/config/values.ts';
import { pullWords } from '../../core/remote-pulls.ts';
import { type CheckState, describeCheck } from '../../core/rules/checks.ts';
import { shownName } from '../../core/task/names.ts';
import type { TaskDetail } from '../../tasks/shapes/task.ts';
import { cleanLine, cleanText, plural } from '../lines/display-text.ts';
import { taskGlyph } from '../lines/glyphs.ts';
import type { ViewStyle } from '../lines/row.ts';
import { dueFact } from '../lines/task-lines.ts';
import { momentText, retryText } from '../lines/time-text.ts';
import { spentText, turnLine } from '../lines/turn-lines.ts';
import type { Color } from '../paint.ts';

const LABEL_CELLS = 10;

export function taskLines(detail: TaskDetail, style: ViewStyle): string[] {
  const { paint, nowMs } = style;
  const glyph = taskGlyph({ ...detail, running: detail.running !== null }, paint);
  const fact = (label: string, value: string, color: Color = 'dim') =>
    `  ${paint(color, label.padEnd(LABEL_CELLS))}${cleanLine(value)}`;
  const turns = detail.turns.map((turn) => turnLine(turn, style));
  const text = cleanText(detail.body).trim();
  return [
    `${glyph} ${paint('bold', cleanLine(shownName(detail)))}`,
    ...factsOf(detail, nowMs).map(([label, value]) => fact(label, value)),
    ...detail.blockers.map(({ name, title, ref, status }) =>
      fact('waits for', `${title ?? name ?? ref} (${status ?? 'unknown'})`),
    ),
    ...detail.subtasks.map((each) => fact('subtask', `${shownName(each)} ${each.id} (${each.status})`)),
    ...detail.odd.map(({ line, message, hint }) =>
      fact('?', `line ${line}: ${message}; ${hint ?? ''}`, 'yellow'),
    ),
    ...(turns.length === 0 ? [] : ['', paint('dim', 'Last turns'), ...turns]),
    ...(text === '' ? [] : ['', text]),
  ];
}

function remoteFacts(remote: TaskDetail['remote']): [string, string | null][] {
  if (remote === null) return [];
  const { ref, url, chore, state, message } = remote;
  const how = [chore && `by ${chore}`, state?.replaceAll('_', ' '), message].filter(Boolean).join(', ');
  return [
    ['mirrors', how === '' ? ref : `${ref} (${how})`],
    ['url', url],
  ];
}

function pullFacts(pull: TaskDetail['pull_requests'][number]): [string, string | null][] {
  return [
    ['pull', `${pull.ref}: ${pullWords(pull).join(', ')}`],
    ['', pull.url],
    ...pull.checks
      .filter(({ state }) => state === 'failed')
      .map(({ name }): [string, string] => ['', `failed: ${name}`]),
    ...pull.reviews.map(({ author, trusted, verdict, place, text }): [string, string] => [
      '',
      `${author}${trusted ? '' : ' (not trusted)'} ${verdict.replace('_', ' ')}${place === null ? '' : ` on ${place}`}${text === '' ? '' : `: ${text}`}`,
    ]),
  ];
}

const STATES: Readonly<Record<CheckState, string>> = {
  open: 'not run yet',
  held: 'it says done; they decide whether that counts',
  passed: 'passed',
  failed: 'failed; it is asked once more',
  gave_up: 'failed too often; it was paused',
  waived: 'left out by a person',
};

function checkFacts(checks: TaskDetail['checks']): [string, string | null][] {
  if (checks === null) return [];
  const { commands, unconfirmed, last } = checks;
  const failed = last?.results.find(({ ended }) => ended !== 'ok');
  const how =
    last === null
      ? null
      : [STATES[last.state], failed && describeCheck({ ...failed, exitCode: failed.exit_code })]
          .filter(Boolean)
          .join(': ');
  return [
    ...commands.map((command): [string, string] => ['check', command]),
    ...unconfirmed.map((command): [string, string] => ['check', `${command} (${UNCONFIRMED})`]),
    ['checked', how],
  ];
}

const UNCONFIRMED = 'does not count: no person is known to have written it; taskroom set TASK checks=COMMAND';

const budgetText = ({ turns, minutes, tokens, cost }: Budget): string =>
  [
    ...(turns === null ? [] : [plural(turns, 'turn')]),
    ...(minutes === null ? [] : [`${minutes} min`]),
    ...(tokens === null ? [] : [plural(tokens, 'token')]),
    ...(cost === null ? [] : [`$${cost.toFixed(2)}`]),
  ].join(', ');

function openQuestions({ questions, waiting }: TaskDetail): [string, string][] {
  const open = waiting ? questions.filter(({ answers }) => answers.length === 0) : [];
  return open.map(({ key, author, text }) => ['asks', `${text} (${author}, ${key})`]);
}

function whyNotOf({ why_not }: TaskDetail): string | null {
  if (why_not === null || why_not.reason === 'running') return null;
  return why_not.hint === null ? why_not.text : `${why_not.text}; ${why_not.hint}`;
}

function factsOf(detail: TaskDetail, nowMs: number): [string, string][] {
  const { steps } = detail;
  const state = [
    detail.own_status ?? null,
    detail.status,
    detail.archived ? 'archived' : null,
    detail.deleted ? 'deleted' : null,
    detail.running ? `running ${detail.running}` : null,
    detail.paused ? 'paused' : null,
    detail.blocked ? 'blocked' : null,
    detail.waiting ? 'waits for your answer' : null,
    detail.held ? 'held' : null,
    detail.nothing_written ? 'last turn wrote nothing' : null,
    detail.pending && !detail.running ? 'turn asked for' : null,
    detail.parked_until && `waits until ${momentText(Date.parse(detail.parked_until), nowMs)}`,
    detail.retry_at && `${retryText(detail.retry_at, nowMs)}, attempt ${detail.attempts + 1}`,
  ];
  const facts: [string, string | null][] = [
    ['id', detail.id ?? 'none yet; the runtime gives one'],
    ['file', detail.path],
    ['status', state.filter((part) => part !== null).join(', ')],
    ['no turn', whyNotOf(detail)],
    ...openQuestions(detail),
    ['owner', detail.owner],
    ['requester', detail.requester === 'owner' ? null : detail.requester],
    ['priority', detail.priority],
    ...checkFacts(detail.checks),
    ['used', detail.used.turns === 0 ? null : spentText(detail.used)],
    ['budget', detail.budget && budgetText(detail.budget)],
    ['steps', steps.total === 0 ? null : `${steps.done}/${steps.total}`],
    ['labels', detail.labels.length === 0 ? null : detail.labels.join(', ')],
    ['sprint', detail.sprint],
    ['base', detail.base],
    ['repositories', detail.repositories.join(', ') || null],
    ...remoteFacts(detail.remote),
    ...detail.pull_requests.flatMap(pullFacts),
    ['parent', detail.parent],
    ['due', dueFact(detail, nowMs)?.replace(/^due /, '') ?? null],
    ...detail.resources.map(({ value, label }): [string, string] => [
      'resource',
      label === null ? value : `${label}: ${value}`,
    ]),
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== null);
}
