// What a person does with a task, as buttons and as keys: what each does is told as its operation declares it.
import { useState } from 'preact/hooks';
import { SUMMARIES } from '../../../operations/summaries.ts';
import type { TaskDetail } from '../../api/shapes.ts';
import type { Shortcut } from '../../keys/shortcuts.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { Button } from '../../parts/fields.tsx';
import { askForTurn, moveTask, onTask, refOf, shownName, stopTurn } from '../../room/actions.ts';
import { CancelDialog } from '../board/board-view.tsx';

interface Action {
  key: string;
  name: string;
  about: string;
  /** What one most likely wants. */
  isFirst?: boolean;
  run(): unknown;
}

export function TaskActions({ task, onEdit }: { task: TaskDetail; onEdit: () => void }) {
  const [asked, ask] = useState<'cancel' | 'force' | null>(null);
  const close = () => ask(null);
  const cancel = () => (task.running === null ? moveTask(task, 'canceled') : ask('cancel'));
  return (
    <div class="wrap">
      {actionsOf(task).map(({ name, about, isFirst, run }) => (
        <Button key={name} name={name} title={about} kind={isFirst ? 'primary' : undefined} run={run} />
      ))}
      <Button name="Edit" run={onEdit} />
      {standsStill(task) && <Button name="Run anyway …" run={() => ask('force')} />}
      {isOver(task) || <Button name="Cancel task" title={aboutOf('cancel')} run={cancel} />}
      {asked === 'cancel' && <CancelDialog task={task} onClose={close} />}
      {asked === 'force' && (
        <Confirm
          title="Run it anyway?"
          button="Run it anyway"
          kind="primary"
          onConfirm={() => askForTurn(refOf(task), true)}
          onClose={close}
        >
          “<bdi>{shownName(task)}</bdi>” stands still{task.why_not === null ? '' : `: ${task.why_not.text}`}.
          A turn now goes over that.
        </Confirm>
      )}
    </div>
  );
}

export function taskShortcuts(task: TaskDetail, onEdit: () => void): Shortcut[] {
  const comment = () => document.querySelector<HTMLElement>('#comment')?.focus();
  return [
    { key: 'e', about: 'Edit the text', run: onEdit },
    { key: 'c', about: 'Comment', run: comment },
    ...actionsOf(task),
  ].map(({ key, about, run }) => ({ key, about, run, group: 'This task' }));
}

function isOver({ status }: TaskDetail): boolean {
  return status === 'done' || status === 'canceled';
}

function standsStill(task: TaskDetail): boolean {
  return !isOver(task) && task.running === null && (task.paused || task.blocked || task.status === 'draft');
}

/** The summary of a command, as a sentence. */
function aboutOf(command: string): string {
  const summary = SUMMARIES[command] ?? '';
  return summary.charAt(0).toUpperCase() + summary.slice(1);
}

function actionsOf(task: TaskDetail): Action[] {
  const { running, paused, status } = task;
  const ref = refOf(task);
  const actions: (Action | false)[] = [
    status === 'draft' && {
      ...{ key: 't', name: 'Set to do', about: 'End the draft', isFirst: true },
      run: () => moveTask(task, 'todo'),
    },
    running !== null && { ...command('s', 'Stop turn', 'kill'), run: () => stopTurn(running) },
    running === null &&
      !standsStill(task) && { ...command('r', 'Run', 'run'), isFirst: true, run: () => askForTurn(ref) },
    paused && {
      ...{ ...command('p', 'Resume', 'resume'), isFirst: true },
      run: () => onTask(ref, 'The task goes on', 'resume'),
    },
    !paused && { ...command('p', 'Pause', 'pause'), run: () => onTask(ref, 'The task is paused', 'pause') },
    { ...command('d', 'Done', 'done'), run: () => moveTask(task, 'done') },
  ];
  if (isOver(task)) return [{ ...command('o', 'Reopen', 'reopen'), run: () => moveTask(task, 'todo') }];
  return actions.filter((action) => action !== false);
}

/** A key and a button of the command. */
function command(key: string, name: string, of: string): Omit<Action, 'run'> {
  return { key, name, about: aboutOf(of) };
}
