// One task from all sides: its words, steps, questions, comments and turns, and what a person does with it.
import { useState } from 'preact/hooks';
import { at } from '../../api/calls.ts';
import type { TaskDetail } from '../../api/shapes.ts';
import { useShortcuts } from '../../keys/shortcuts.ts';
import { Signs, StatusMark } from '../../parts/marks.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { shownName } from '../../room/actions.ts';
import { useResource } from '../../room/resource.ts';
import { JobList } from '../turn/job-list.tsx';
import { CommentList } from './comment-list.tsx';
import { QuestionList } from './question-list.tsx';
import { type ReadTask, readTask } from './read-task.ts';
import { isFixed, StepList } from './step-list.tsx';
import { TaskActions, taskShortcuts } from './task-actions.tsx';
import { TaskEditor, useWordsDraft } from './task-editor.tsx';
import { TaskFacts } from './task-facts.tsx';
import { OtherSections, TaskWords } from './task-words.tsx';
import { TurnList } from './turn-list.tsx';

export function TaskView({ path: [ref = ''] }: { path: readonly string[] }) {
  const { value, error, again } = useResource(at('show', { ref }), ['tasks', 'turns', 'mirrors'], readTask);
  if (error !== null && (value === null || error.status === 404)) return <Failed error={error} />;
  if (value === null) return <Loading />;
  return <ShownTask key={ref} read={value} again={again} />;
}

function ShownTask({ read, again }: { read: ReadTask; again: () => void }) {
  const { task } = read;
  const ref = task.id ?? task.name;
  const draft = useWordsDraft(ref);
  const [wantsEditor, edit] = useState(false);
  const isEditing = wantsEditor || (draft.value !== null && !isFixed(task));
  return (
    <article class="task-view">
      <TaskHead task={task} onEdit={() => edit(true)} />
      <div class="task-columns">
        <div class="task-main">
          <WhyNot task={task} />
          <QuestionList task={task} />
          {isEditing ? (
            <TaskEditor
              reference={ref}
              read={read}
              draft={draft}
              takesFocus={wantsEditor}
              onClose={() => edit(false)}
              onSaved={again}
            />
          ) : (
            <TaskWords task={task} onEdit={isFixed(task) ? null : () => edit(true)} />
          )}
          <StepList task={task} onChanged={again} />
          <OtherSections task={task} />
          <CommentList task={task} />
        </div>
        <aside class="task-aside" aria-label="About the task">
          <TaskFacts task={task} onChanged={again} />
          <TurnList task={task} />
          <Jobs task={task} />
        </aside>
      </div>
    </article>
  );
}

function Jobs({ task: { id } }: { task: TaskDetail }) {
  const { value } = useResource(id === null ? null : at('listJobs', { task: id }), ['jobs', 'turns']);
  if (value === null || value.jobs.length === 0) return null;
  return (
    <section aria-labelledby="jobs">
      <h2 id="jobs">In the background</h2>
      <JobList jobs={value.jobs} />
    </section>
  );
}

function TaskHead({ task, onEdit }: { task: TaskDetail; onEdit: () => void }) {
  useShortcuts(taskShortcuts(task, onEdit));
  return (
    <header class="view-head task-head">
      <h1 dir="auto">{shownName(task)}</h1>
      <p class="task-signs">
        <StatusMark status={task.status} />
        <Signs task={{ ...task, why_not: null }} most={5} />
        {task.archived ? <span class="mark tone-killed">archived</span> : null}
        {task.deleted ? <span class="mark tone-killed">deleted</span> : null}
      </p>
      {isFixed(task) ? null : <TaskActions task={task} onEdit={onEdit} />}
    </header>
  );
}

function WhyNot({ task: { why_not: why, status, running, waiting, paused } }: { task: TaskDetail }) {
  // A turn that runs, and a question that waits, are shown for themselves.
  if (why === null || running !== null || waiting || status === 'done' || status === 'canceled') return null;
  return (
    <p class="why-not">
      Not running: {why.text}
      {why.hint === null || paused ? null : (
        <>
          {' '}
          <code>{why.hint}</code>
        </>
      )}
    </p>
  );
}
