// The room's Agent Skill, and the plugin folder that brings it with the MCP server: from declared commands.
import { HOW_TO_WORK } from '../core/task/agents-section.ts';
import { toolsFor } from '../operations/tools/tool-list.ts';
import type { CommandEntry } from './command.ts';
import { readVersion } from './version.ts';

const ABOUT =
  'Work with the tasks of a taskroom: markdown files in tasks/ that agents take turns on. Use it to find, take, report on, finish or write down tasks.';

const PLUGIN = '.agents/plugins/taskroom';

export function skillFiles(commands: readonly CommandEntry[]): Readonly<Record<string, string>> {
  const skill = skillText(commands);
  const manifest = { name: 'taskroom', version: readVersion(), description: ABOUT };
  const parts = { skills: './skills/', mcpServers: './.mcp.json' };
  const server = { command: 'taskroom', args: ['mcp'] };
  return {
    '.agents/skills/taskroom/SKILL.md': skill,
    '.claude/skills/taskroom/SKILL.md': skill,
    [`${PLUGIN}/skills/taskroom/SKILL.md`]: skill,
    [`${PLUGIN}/.mcp.json`]: asJson({ mcpServers: { taskroom: server } }),
    // Claude Code finds skills/ and .mcp.json by their places.
    [`${PLUGIN}/.claude-plugin/plugin.json`]: asJson(manifest),
    [`${PLUGIN}/.codex-plugin/plugin.json`]: asJson({ ...manifest, ...parts }),
  };
}

const asJson = (value: object) => `${JSON.stringify(value, null, 2)}\n`;

function skillText(all: readonly CommandEntry[]): string {
  const commands = all
    .filter(({ group, isFirst }) => isFirst || group === 'Reports')
    .filter(({ group }) => group !== 'Room')
    .map(({ name, summary }) => `| \`taskroom ${name}\` | ${summary} |`);
  const tools = toolsFor({ access: 'full', programs: false }).map(
    ({ name, description }) => `| \`${name}\` | ${description} |`,
  );
  return `---
name: taskroom
description: ${JSON.stringify(ABOUT)}
---

${HOW_TO_WORK}

Each command tells more with \`--help\`, and gives JSON with \`--json\`; \`taskroom explain <word>\` tells what a key or a setting is.

| command | what it does |
|---|---|
${commands.join('\n')}

| tool of the MCP server | what it does |
|---|---|
${tools.join('\n')}
`;
}
