// An agent without a model that works in a git worktree of its task's own: it changes a file, commits that, and is done. What a
// review of its pull request asks for comes back as a comment, with the line; then it mends the line.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const { task } = JSON.parse(readFileSync(process.env.TASKROOM_CONTEXT, 'utf8'));
const isReviewed = task.body.includes('greet.mjs:1');
const name = isReviewed ? "name = 'you'" : 'name';
writeFileSync('greet.mjs', `export const greet = (${name}) => \`Hello \${name}\`;\n`);
const who = ['-c', 'user.name=Coder', '-c', 'user.email=coder@example.com', '-c', 'commit.gpgsign=false'];
const said = isReviewed ? 'Greet also without a name' : 'Greet by name';
execFileSync('git', [...who, 'commit', '--quiet', '--all', '-m', said], { stdio: 'inherit' });
execFileSync('taskroom', ['done', process.env.TASKROOM_TASK, '--outcome', `${said}.`], { stdio: 'inherit' });
