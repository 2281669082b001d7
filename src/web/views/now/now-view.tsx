// The first screen: which agents run and on what, what needs the person, what ended, and what ended without a word.
import { computed } from '@preact/signals';
import { shownName } from '../../../core/task/names.ts';
import { countStandings, type Standing, standingTexts } from '../../../core/task/status.ts';
import { addressOf } from '../../address.ts';
import type { Answer, InboxItem, Status, TaskRow, Turn } from '../../api/calls.ts';
import { Answered, CardRow, Empty, Failed, Head, Section } from '../../parts/blocks.tsx';
import { AnswerForm, Button, ButtonLink } from '../../parts/fields.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { Dot, Elapsed, StatusDot, StepMeter, When } from '../../parts/marks.tsx';
import { sayCost, sayCount } from '../../parts/time-words.ts';
import { act, askToStop, onTask, refOf, takeAction } from '../../room/actions.ts';
import { areRowsRead, invalidFiles, rowsById, taskRows, useQuery } from '../../room/queries.ts';
import { isLive, JobList, TurnRows } from '../turn/turn-view.tsx';

// Everything that needs the person, by kind, each with what settles it here: an answer typed in place, or one button.
const KINDS: Readonly<Record<string, readonly [name: string, tone?: string]>> = {
  question: ['Questions', 'accent'],
  paused: ['Paused', 'failed'],
  trust: ['Words of strangers'],
  rights: ['Changed while a turn ran'],
  held: ['Held'],
  conflict: ['Conflicts', 'accent'],
  invalid: ['Files that can’t be read', 'failed'],
  setup: ['Setup', 'failed'],
  trouble: ['Trouble', 'failed'],
  tracker: ['Trackers'],
  review: ['Pull requests', 'accent'],
  notice: ['Messages'],
};

function InboxList({ items }: { items: readonly InboxItem[] }) {
  if (items.length === 0)
    return (
      <Empty title="Nothing needs you">Questions of agents, pauses, conflicts and trouble come here.</Empty>
    );
  const groups = Map.groupBy(items, ({ kind }) => kind);
  const sections = [...groups].map(([kind, group]) => (
    <div key={kind} class="stack">
      <h3>{KINDS[kind]?.[0] ?? kind}</h3>
      <ul class="stack">
        {group.map((item) => (
          <InboxRow key={item.key} item={item} />
        ))}
      </ul>
    </div>
  ));
  return <div class="stack far">{sections}</div>;
}

function InboxRow({ item }: { item: InboxItem }) {
  const { kind, task, text, at } = item;
  const [title, tone] = KINDS[kind] ?? [kind];
  return (
    <CardRow
      class={`inbox-${kind} ${tone ? `edge tone-${tone}` : ''}`}
      href={task && addressOf(['task', task])}
      task={task}
      name={item.title ?? item.name ?? title}
      facts={<When at={at} />}
      side={<Settle item={item} />}
    >
      {kind === 'question' && task ? (
        <QuestionText task={task} item={item} />
      ) : (
        <bdi class="below">{text.replace(/^paused: /, '')}</bdi>
      )}
    </CardRow>
  );
}

/** The whole question, with its lists, once its task was read. */
function QuestionText({ task, item: { key, text } }: { task: string; item: InboxItem }) {
  const questions = useQuery('show', { ref: task }).value?.questions ?? [];
  const question = questions.find((each) => key === `question:${task}:${each.key}`);
  return (
    <div class="below">{question === undefined ? <bdi>{text}</bdi> : <Markdown text={question.text} />}</div>
  );
}

function Settle({ item: { kind, task, key, text, settle } }: { item: InboxItem }) {
  switch (kind) {
    case 'question':
      return task && <AnswerForm task={task} question={key.slice(`question:${task}:`.length)} about={text} />;
    case 'paused':
      return task && <Button name="Resume" run={() => onTask(task, 'The task is resumed', 'resume')} />;
    case 'trust':
    case 'review':
      return task && <ButtonLink name="Open the task" href={addressOf(['task', task])} />;
    case 'rights':
      return <Button name="Accept" run={() => act('Accepted', 'accept', { what: key })} />;
    case 'held':
      return <Button name="Run them" run={() => act('What was held runs', 'release', {})} />;
    case 'conflict':
      return <ButtonLink name="Compare" href={addressOf(['sync'])} />;
    case 'notice': {
      const seqs = [Number(key.slice('notice:'.length))];
      return <Button name="Seen" kind="quiet" run={() => act('Seen', 'markNoticesTold', { seqs })} />;
    }
    default:
      return <code>{settle}</code>;
  }
}

const ENDED_SHOWN = 12;

/** Of what is no status by itself. */
const TONES: { readonly [each in Standing]?: string } = {
  ...{ running: 'running', waiting: 'attention', paused: 'failed' },
};

const counts = computed(() => standingTexts(countStandings(taskRows.value)));
const silent = computed(() => taskRows.value.filter((task) => task.nothing_written));

export function NowView() {
  const inbox = useQuery('inbox', {});
  const running = useQuery('listTurns', { state: 'running', limit: 200 });
  const recent = useQuery('listTurns', { pending: false, limit: ENDED_SHOWN + 20 }).value?.turns ?? [];
  const status = useQuery('status', {}).value;
  const jobs = (useQuery('listJobs', {}).value?.jobs ?? []).filter(isLive);
  const ended = recent.filter(({ state }) => state !== 'running').slice(0, ENDED_SHOWN);
  const failed = [inbox.error, running.error].find((error) => error && ![0, 401].includes(error.status));
  return (
    <div class="now stack far">
      <Head title="Now">
        <Counts today={status?.today ?? null} />
      </Head>
      {failed && <Failed error={failed} />}
      <div class="now-columns pair">
        <div class="stack far">
          <Section title="Running" count={running.value?.turns.length}>
            <Answered query={running}>
              {({ turns }) => <RunningList turns={turns} places={status?.places ?? {}} />}
            </Answered>
          </Section>
          {jobs.length > 0 && (
            <Section title="In the background" count={jobs.length}>
              <JobList jobs={jobs} />
            </Section>
          )}
          {silent.value.length > 0 && (
            <Section title="Ended silently" count={silent.value.length}>
              <ul class="stack">
                {silent.value.map((task) => (
                  <SilentRow key={task.path} task={task} />
                ))}
              </ul>
            </Section>
          )}
          <Section title="Ended lately">
            {ended.length === 0 ? (
              <Empty title="No turn has ended yet">A turn is one attempt of an agent at a task.</Empty>
            ) : (
              <TurnRows turns={ended} />
            )}
          </Section>
        </div>
        <Section title="Needs you" count={inbox.value?.inbox.length} class="inbox stack">
          <Answered query={inbox}>{({ inbox: items }) => <InboxList items={items} />}</Answered>
        </Section>
      </div>
    </div>
  );
}

function Counts({ today }: { today: Answer<'status'>['today'] | null }) {
  if (!areRowsRead.value) return null;
  const cost = sayCost(today?.cost_usd);
  return (
    <ul class="wrap muted" aria-label="The room in numbers">
      {counts.value.map(([standing, text]) => {
        const tone = TONES[standing];
        return (
          <li key={standing}>
            <a href={addressOf(['list'], tone === undefined ? { status: standing } : { sign: standing })}>
              {tone === undefined ? <StatusDot status={standing as Status} /> : <Dot tone={tone} />}
              {text}
            </a>
          </li>
        );
      })}
      {invalidFiles.value.length > 0 && (
        <li>
          <Dot tone="failed" />
          {`${invalidFiles.value.length} unreadable`}
        </li>
      )}
      {today && (
        <li>{`today ${sayCount(today.turns)} ${today.turns === 1 ? 'turn' : 'turns'}${cost ? `, ${cost}` : ''}`}</li>
      )}
    </ul>
  );
}

/** Names of workers by turn; null for one that waits for a worker, absent where turns run beside the room. */
type Places = Readonly<Record<string, string | null>>;

function RunningList({ turns, places }: { turns: readonly Turn[]; places: Places }) {
  if (turns.length === 0)
    return (
      <Empty title="No agent works right now">
        One starts when a task is due: new, changed, or asked to run.
      </Empty>
    );
  return (
    <ul class="stack">
      {turns.map((turn) => (
        <RunningTurn key={turn.id} turn={turn} place={places[turn.id]} />
      ))}
    </ul>
  );
}

function RunningTurn({ turn, place }: { turn: Turn; place: string | null | undefined }) {
  const task = turn.task === null ? undefined : rowsById.value.get(turn.task);
  const name = task === undefined ? turn.description : shownName(task);
  const where = place === null ? 'waits for a worker' : place && `at ${place}`;
  const facts = [turn.agent, turn.attempt > 1 && `attempt ${turn.attempt}`, where].filter(Boolean);
  return (
    <CardRow
      class="running-card edge tone-running"
      href={addressOf(['turn', turn.id])}
      task={turn.task}
      sign={<span class="pulse" aria-hidden="true" />}
      name={name}
      facts={<bdi>{facts.join(' · ')}</bdi>}
      side={
        <>
          <Elapsed of={turn} />
          {task && <StepMeter steps={task.steps} />}
          <Button
            name="Stop"
            kind="quiet"
            label={`Stop the turn on ${name}`}
            run={() => askToStop(turn.id, name)}
          />
        </>
      }
    >
      {task?.active_form && <bdi class="below tone-text">{task.active_form} …</bdi>}
    </CardRow>
  );
}

/** A task whose last turn ended well and wrote nothing: a person looks at what it printed, or lets it run again. */
function SilentRow({ task }: { task: TaskRow }) {
  const [name, action] = task.paused ? (['Resume', 'pause'] as const) : (['Run again', 'run'] as const);
  return (
    <CardRow
      href={addressOf(['task', refOf(task)])}
      task={refOf(task)}
      name={shownName(task)}
      facts={<bdi>{task.owner ?? 'default agent'} ended its turn and wrote nothing into the task</bdi>}
      side={
        <Button
          name={name}
          kind="quiet"
          label={`${name}: ${shownName(task)}`}
          run={() => takeAction(action, task)}
        />
      }
    />
  );
}
