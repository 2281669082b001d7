// A git project for each test of a file.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach } from 'vitest';
import { runGit } from '../support/git-server.ts';
import { tempFolder } from '../support/temp-folder.ts';

export type Project = { dir: string; git(...args: string[]): string };
export let project: Project;

/** Makes it before each test, with one commit of these files, and removes it after the test. */
export function projectWith(files: Record<string, string>): void {
  beforeEach(() => {
    const dir = tempFolder('taskroom-project');
    project = { dir, git: (...args) => runGit(dir, ...args) };
    project.git('init', '--quiet', '--initial-branch=main');
    for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
    project.git('add', '.');
    project.git('commit', '--quiet', '-m', 'First');
  });
}
