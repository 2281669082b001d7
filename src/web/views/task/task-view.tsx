// One task from all sides: its words, steps, questions, comments and turns, and what a person does with it, as buttons for the actions of the keys.
import { actionName, isPossible, keyOf, TASK_ACTIONS, type TaskAction } from '../../../core/person-keys.ts';
import { shownName } from '../../../core/task/names.ts';
import { isFinished } from '../../../core/task/status.ts';
import { SUMMARIES } from '../../../operations/summaries.ts';
import type { TaskDetail } from '../../api/calls.ts';
import { Answered, Head, Section } from '../../parts/blocks.tsx';
import { Button } from '../../parts/fields.tsx';
import { Mark, Signs, StatusMark } from '../../parts/marks.tsx';
import { type ActedRow, refOf, takeAction, wantsEditor } from '../../room/actions.ts';
import { useQuery } from '../../room/queries.ts';
import { isJob, JobList, TurnRows } from '../turn/turn-view.tsx';
import { DiffView } from './diff/diff-view.tsx';
import { isFixed, StepList } from './step-list.tsx';
import { TaskEditor, useWordsDraft } from './task-editor.tsx';
import { TaskFacts } from './task-facts.tsx';
import { CommentList, OtherSections, PullView, QuestionList, TaskWords } from './task-words.tsx';

export function TaskView({ path: [ref = ''] }: { path: readonly string[] }) {
  const query = useQuery('show', { ref });
  return (
    <Answered query={query}>
      {(task) => <ShownTask key={ref} task={task} etag={query.etag ?? '*'} />}
    </Answered>
  );
}

function ShownTask({ task, etag }: { task: TaskDetail; etag: string }) {
  const draft = useWordsDraft(refOf(task));
  const isWanted = wantsEditor.value === refOf(task);
  const isEditing = !isFixed(task) && (isWanted || draft.value !== null);
  return (
    <article class="task-view stack far">
      <TaskHead task={task} />
      <div class="task-columns">
        <div class="stack far">
          <WhyNot task={task} />
          <QuestionList task={task} />
          {isEditing ? (
            <TaskEditor
              task={task}
              etag={etag}
              draft={draft}
              takesFocus={isWanted}
              onClose={() => (wantsEditor.value = null)}
            />
          ) : (
            <TaskWords task={task} />
          )}
          <StepList task={task} />
          <OtherSections task={task} />
          <DiffView task={task} />
          <PullView task={task} />
          <CommentList task={task} />
        </div>
        <aside class="stack far" aria-label="About the task">
          <TaskFacts task={task} />
          <Work task={task} />
        </aside>
      </div>
    </article>
  );
}

/** Its turns, and its commands in a list of their own. */
function Work({ task: { id, turns } }: { task: TaskDetail }) {
  const jobs = useQuery('listJobs', id === null ? null : { task: id }).value?.jobs ?? [];
  return (
    <>
      <Section title="Turns">
        {turns.length === 0 && <p class="muted">No agent has worked on it yet.</p>}
        <TurnRows turns={turns.filter((turn) => !isJob(turn))} knows="task" />
      </Section>
      {jobs.length > 0 && (
        <Section title="In the background">
          <JobList jobs={jobs} />
        </Section>
      )}
    </>
  );
}

const TaskHead = ({ task }: { task: TaskDetail }) => (
  <Head title={shownName(task)}>
    <p class="wrap">
      <StatusMark status={task.status} own_status={task.own_status} />
      <Signs task={{ ...task, why_not: null }} most={5} />
      {task.archived && <Mark tone="killed" text="archived" />}
      {task.deleted && <Mark tone="killed" text="deleted" />}
    </p>
    {isFixed(task) || <TaskActions task={task} />}
  </Head>
);

/** A hint of these is a command that stands here as a button. */
const COMMAND_WITH_BUTTON = /taskroom (run|resume|set|answer|reopen|kill|done)\b/;

function WhyNot({ task: { why_not: why, status, running, waiting } }: { task: TaskDetail }) {
  // A turn that runs, and a question that waits, are shown for themselves.
  if (why === null || running !== null || waiting || isFinished(status)) return null;
  const hint = why.hint === null || COMMAND_WITH_BUTTON.test(why.hint) ? null : why.hint;
  return (
    <p class="note tone-pending">
      Not running: {why.text} {hint === null ? null : <code>{hint}</code>}
    </p>
  );
}

/** These have fields on the page. */
const IN_PLACE: ReadonlySet<TaskAction> = new Set(['comment', 'answer', 'priority']);

function TaskActions({ task }: { task: ActedRow }) {
  const possible = TASK_ACTIONS.filter((action) => !IN_PLACE.has(action) && isPossible(action, task));
  const first = possible.find((action) => isLikely(action, task));
  const shown = possible.toSorted((one, other) => Number(other === first) - Number(one === first));
  return (
    <div class="wrap">
      {shown.map((action) => {
        const { key, about, command } = keyOf(action);
        return (
          <Button
            key={action}
            name={actionName(action, task)}
            title={`${about ?? SUMMARIES[command!]} (${key})`}
            kind={action === first ? 'primary' : undefined}
            run={() => takeAction(action, task)}
          />
        );
      })}
    </div>
  );
}

/** What one most likely wants. */
function isLikely(action: TaskAction, { status, paused, running }: ActedRow): boolean {
  if (status === 'draft' || status === 'done' || status === 'canceled') return action === 'todo';
  if (paused) return action === 'pause';
  return action === (running === null ? 'run' : 'stop');
}
