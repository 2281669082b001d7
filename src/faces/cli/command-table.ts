// Every command by name, in the order of the help. Only the code of the one that is asked for is loaded.
import type { CommandEntry } from './command.ts';

type Row = readonly [name: string, summary: string, load: CommandEntry['load']];

const ROOM: readonly Row[] = [
  ['init', 'make a room in a folder', () => import('./commands/init.ts')],
  ['up', 'run the room in the foreground', () => import('./commands/up.ts')],
  ['once', 'run what is due, then end', () => import('./commands/once.ts')],
  ['status', 'who runs the room, and what goes on', () => import('./commands/status.ts')],
  ['stop', 'stop the daemon of the room', () => import('./commands/stop.ts')],
  ['completion', 'print completions for your shell', () => import('./commands/completion.ts')],
  ['doctor', 'look for what is wrong, and how to mend it', () => import('./commands/doctor.ts')],
];

const TASKS: readonly Row[] = [
  ['new', 'write a new task', () => import('./commands/new.ts')],
  ['list', 'show the tasks', () => import('./commands/list.ts')],
  ['show', 'show one task', () => import('./commands/show.ts')],
  ['edit', 'open a task in your editor', () => import('./commands/edit.ts')],
  ['set', 'change front matter keys', () => import('./commands/set.ts')],
  ['done', 'finish a task', () => import('./commands/done.ts')],
  ['cancel', 'cancel a task', () => import('./commands/cancel.ts')],
  ['reopen', 'open a finished task again', () => import('./commands/reopen.ts')],
  ['pause', 'keep a task from running', () => import('./commands/pause.ts')],
  ['resume', 'let a paused task run again', () => import('./commands/resume.ts')],
  ['delete', 'move a task to the attic', () => import('./commands/delete.ts')],
  ['archive', 'move a finished task to the archive', () => import('./commands/archive.ts')],
];

const REPORTS: readonly Row[] = [
  ['comment', 'add a comment', () => import('./commands/comment.ts')],
  ['progress', 'add an entry to Progress', () => import('./commands/progress.ts')],
  ['outcome', 'add an entry to Outcome', () => import('./commands/outcome.ts')],
  ['step', 'tick, untick or add steps', () => import('./commands/step.ts')],
  ['notify', 'tell the person something now', () => import('./commands/notify.ts')],
  ['notices', 'list what agents told you', () => import('./commands/notices.ts')],
];

const TURNS: readonly Row[] = [
  ['run', 'ask for a turn now', () => import('./commands/run.ts')],
  ['turns', 'list turns, newest first', () => import('./commands/turns.ts')],
  ['log', "show a turn's output", () => import('./commands/log.ts')],
  ['kill', 'stop a running turn', () => import('./commands/kill.ts')],
  ['history', 'list finished tasks, newest first', () => import('./commands/history.ts')],
  ['context', 'show what an agent would get', () => import('./commands/context.ts')],
];

const MIRRORS: readonly Row[] = [
  ['chores', 'list the chores, or run one now', () => import('./commands/chores.ts')],
  ['sync', 'sync mirrors with their trackers now', () => import('./commands/sync.ts')],
  ['mirrors', 'list mirrors and how they stand', () => import('./commands/mirrors.ts')],
  ['link', 'make a task the mirror of an issue', () => import('./commands/link.ts')],
  ['publish', 'make an issue of a task', () => import('./commands/publish.ts')],
  ['unlink', 'end a mirror', () => import('./commands/unlink.ts')],
];

function entries(group: CommandEntry['group'], rows: readonly Row[]): CommandEntry[] {
  return rows.map(([name, summary, load]) => ({ name, group, summary, load }));
}

export const COMMANDS: readonly CommandEntry[] = [
  ...entries('Room', ROOM),
  ...entries('Tasks', TASKS),
  ...entries('Reports', REPORTS),
  ...entries('Turns', TURNS),
  ...entries('Mirrors', MIRRORS),
];
