// A git project for each test of a file.
import { beforeEach } from 'vitest';
import { makeProject, runGit } from '../support/git-server.ts';
import { tempFolder } from '../support/temp-folder.ts';

export type Project = { dir: string; git(...args: string[]): string };
export let project: Project;

/** Makes it before each test, with one commit of these files, and removes it after the test. */
export function projectWith(files: Record<string, string>): void {
  beforeEach(() => {
    const dir = tempFolder('taskroom-project');
    project = { dir, git: (...args) => runGit(dir, ...args) };
    makeProject(dir, files);
  });
}
