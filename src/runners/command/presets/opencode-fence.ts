// A plugin of opencode for one turn. opencode asks its rules about the file that a patch changes, and not about the name that
// the patch moves it to: the plugin refuses a move to what no editing tool may write.
import { refusedTo } from './taken-files.ts';

const NAMES = refusedTo('opencode').map((name) => `/${name}/`);

export const OPENCODE_FENCE = `const refused = ${JSON.stringify(NAMES)};
export const Fence = async () => ({
  'tool.execute.before': async (_call, { args }) => {
    for (const [, to] of String(args?.patchText ?? '').matchAll(/^\\s*\\*\\*\\* Move to:(.*)$/gm)) {
      const path = '/' + to.trim().replaceAll('\\\\', '/').toLowerCase() + '/';
      if (refused.some((name) => path.includes(name))) throw new Error('nothing may be moved to' + to);
    }
  },
});
`;
