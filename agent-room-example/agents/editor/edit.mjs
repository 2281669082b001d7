// An agent that gives a part of its work to another: it makes a subtask for a step, its turn ends, and the end
// of the subtask wakes it.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { steps = [], subtasks = [] } = JSON.parse(readFileSync(process.env.TASKROOM_CONTEXT, 'utf8'));
const taskroom = (...args) => execFileSync('taskroom', args, { stdio: ['ignore', 'ignore', 'inherit'] });

const part = subtasks.find(({ owner }) => owner === 'proofreader');
if (part === undefined) {
  const text = 'Read the README of this room and say how many lines of it are too long to read.';
  taskroom('sub', 'Proofread the README', '--text', text, '--owner', 'proofreader');
  taskroom('progress', 'The README goes to the proofreader first.');
} else if (part.status === 'done') {
  taskroom('step', String(steps.findIndex(({ task }) => task === part.id) + 1));
  taskroom('done', '--outcome', `The README is fit to be published. The proofreader says: ${part.outcome}`);
} else taskroom('progress', `Waits for the proofreader: ${part.status}.`);
