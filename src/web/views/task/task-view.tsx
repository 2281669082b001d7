// One task from all sides: its words, steps, questions, comments and turns, and what a person does with it.
import { useState } from 'preact/hooks';
import type { TaskDetail } from '../../api/shapes.ts';
import { useShortcuts } from '../../keys/shortcuts.ts';
import { Head, Section } from '../../parts/blocks.tsx';
import { Mark, Signs, StatusMark } from '../../parts/marks.tsx';
import { Answered } from '../../parts/states.tsx';
import { refOf, shownName } from '../../room/actions.ts';
import { useQuery } from '../../room/queries.ts';
import { isJob, JobList, TurnRows } from '../turn/turn-lists.tsx';
import { CommentList } from './comment-list.tsx';
import { QuestionList } from './question-list.tsx';
import { isFixed, StepList } from './step-list.tsx';
import { TaskActions, taskShortcuts } from './task-actions.tsx';
import { TaskEditor, useWordsDraft } from './task-editor.tsx';
import { TaskFacts } from './task-facts.tsx';
import { OtherSections, TaskWords } from './task-words.tsx';

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
  const [wantsEditor, edit] = useState(false);
  const isEditing = wantsEditor || (draft.value !== null && !isFixed(task));
  const onEdit = isFixed(task) ? null : () => edit(true);
  return (
    <article class="task-view stack far">
      <TaskHead task={task} onEdit={onEdit} />
      <div class="task-columns">
        <div class="stack far">
          <WhyNot task={task} />
          <QuestionList task={task} />
          {isEditing ? (
            <TaskEditor
              task={task}
              etag={etag}
              draft={draft}
              takesFocus={wantsEditor}
              onClose={() => edit(false)}
            />
          ) : (
            <TaskWords task={task} onEdit={onEdit} />
          )}
          <StepList task={task} />
          <OtherSections task={task} />
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

function TaskHead({ task, onEdit }: { task: TaskDetail; onEdit: (() => void) | null }) {
  useShortcuts(onEdit === null ? [] : taskShortcuts(task, onEdit));
  return (
    <Head title={shownName(task)}>
      <p class="wrap">
        <StatusMark status={task.status} />
        <Signs task={{ ...task, why_not: null }} most={5} />
        {task.archived && <Mark tone="killed" text="archived" />}
        {task.deleted && <Mark tone="killed" text="deleted" />}
      </p>
      {onEdit && <TaskActions task={task} onEdit={onEdit} />}
    </Head>
  );
}

function WhyNot({ task: { why_not: why, status, running, waiting, paused } }: { task: TaskDetail }) {
  // A turn that runs, and a question that waits, are shown for themselves.
  if (why === null || running !== null || waiting || status === 'done' || status === 'canceled') return null;
  return (
    <p class="note tone-pending">
      Not running: {why.text} {why.hint === null || paused ? null : <code>{why.hint}</code>}
    </p>
  );
}
