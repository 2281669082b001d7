// An agent that gives a part of its work to another: it makes a subtask, its turn ends, and the end of the subtask wakes it.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { subtasks = [] } = JSON.parse(readFileSync(process.env.TASKROOM_CONTEXT, 'utf8'));
const taskroom = (...args) => execFileSync('taskroom', args, { stdio: ['ignore', 'ignore', 'inherit'] });

const part = subtasks.find(({ owner }) => owner === 'proofreader');
if (part === undefined) {
  const text = 'Read the README of this room and say how many lines of it are too long to read.';
  taskroom(
    'new',
    'Proofread the README',
    text,
    '--parent',
    process.env.TASKROOM_TASK,
    '--owner',
    'proofreader',
  );
  taskroom('progress', 'The README goes to the proofreader first.');
} else if (part.status === 'done') {
  taskroom('done', '--outcome', `The README is fit to be published. The proofreader says: ${part.outcome}`);
} else taskroom('progress', `Waits for the proofreader: ${part.status}.`);
