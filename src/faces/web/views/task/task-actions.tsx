// What a person does with a task, as buttons and as keys.
import { useState } from 'preact/hooks';
import type { TaskDetail } from '../../api/shapes.ts';
import type { Shortcut } from '../../keys/shortcuts.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { moveTask, onTask, shownName, stopTurn, toPause, toResume, toRun } from '../../room/actions.ts';
import { CancelDialog } from '../board/cancel-dialog.tsx';

interface Action {
  key: string;
  name: string;
  about: string;
  /** Shown as what one most likely wants. */
  isFirst?: boolean;
  run(): void;
}

export function TaskActions({ task, onEdit }: { task: TaskDetail; onEdit: () => void }) {
  const [asked, ask] = useState<'cancel' | 'force' | null>(null);
  const close = () => ask(null);
  const cancel = () => (task.running === null ? void moveTask(task, 'canceled') : ask('cancel'));
  return (
    <div class="actions">
      {actionsOf(task).map(({ name, about, isFirst, run }) => (
        <button key={name} type="button" title={about} class={isFirst ? 'primary' : ''} onClick={run}>
          {name}
        </button>
      ))}
      <button type="button" onClick={onEdit} aria-keyshortcuts="e">
        Edit
      </button>
      {isOver(task) ? null : (
        <>
          {standsStill(task) ? (
            <button type="button" onClick={() => ask('force')}>
              Run anyway …
            </button>
          ) : null}
          <button type="button" onClick={cancel}>
            Cancel task
          </button>
        </>
      )}
      {asked === 'cancel' ? (
        <CancelDialog
          task={task}
          onClose={close}
          onCancelTask={() => {
            close();
            void moveTask(task, 'canceled');
          }}
        />
      ) : null}
      {asked === 'force' ? <ForceDialog task={task} onClose={close} /> : null}
    </div>
  );
}

export function taskShortcuts(task: TaskDetail, onEdit: () => void): Shortcut[] {
  const group = 'This task';
  if (task.archived || task.deleted) return [];
  return [
    { key: 'e', about: 'Edit the text', group, run: onEdit },
    {
      key: 'c',
      about: 'Comment',
      group,
      run: () => document.querySelector<HTMLElement>('#comment')?.focus(),
    },
    ...actionsOf(task).map(({ key, about, run }) => ({ key, about, group, run })),
  ];
}

function isOver({ status }: TaskDetail): boolean {
  return status === 'done' || status === 'canceled';
}

function standsStill(task: TaskDetail): boolean {
  return task.running === null && (task.paused || task.blocked || task.status === 'draft');
}

function actionsOf(task: TaskDetail): Action[] {
  const { running } = task;
  if (task.archived || task.deleted) return [];
  if (isOver(task))
    return [{ key: 'o', name: 'Reopen', about: 'Open it again', run: () => void moveTask(task, 'todo') }];
  const go: Action = task.paused
    ? {
        ...{ key: 'p', name: 'Resume', about: 'Let it run again', isFirst: true },
        run: () => void onTask(task, 'The task goes on', toResume),
      }
    : {
        ...{ key: 'p', name: 'Pause', about: 'Keep it from running' },
        run: () => void onTask(task, 'The task is paused', toPause),
      };
  const run: Action[] =
    running !== null
      ? [{ key: 's', name: 'Stop turn', about: 'Stop the turn that runs', run: () => void stopTurn(running) }]
      : standsStill(task)
        ? []
        : [
            {
              ...{ key: 'r', name: 'Run', about: 'Ask for a turn now', isFirst: true },
              run: () => void onTask(task, 'A turn is asked for', (ref) => toRun(ref)),
            },
          ];
  const start: Action[] =
    task.status === 'draft'
      ? [
          {
            ...{ key: 't', name: 'Make it to do', about: 'It is no draft any more', isFirst: true },
            run: () => void moveTask(task, 'todo'),
          },
        ]
      : [];
  return [
    ...start,
    ...run,
    go,
    { key: 'd', name: 'Done', about: 'Finish it', run: () => void moveTask(task, 'done') },
  ];
}

function ForceDialog({ task, onClose }: { task: TaskDetail; onClose: () => void }) {
  return (
    <Dialog title="Run it anyway?" onClose={onClose}>
      <p>
        “<bdi>{shownName(task)}</bdi>” stands still{task.why_not === null ? '' : `: ${task.why_not.text}`}. A
        turn now goes over that.
      </p>
      <footer>
        <button
          type="button"
          class="primary"
          onClick={() => {
            onClose();
            void onTask(task, 'A turn is asked for', (ref) => toRun(ref, true));
          }}
        >
          Run it anyway
        </button>
      </footer>
    </Dialog>
  );
}
