// Bundles the web board into `OUT/web`: one page, its script and its style under names that hold their hash, nothing
// inline, so that the server can forbid every script and style but these.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'vite';
import { finishedRows } from './finished-rows.mjs';

/** @returns the source files that went into it */
export async function bundleBoard(root, out) {
  const modules = [];
  // Whatever started the build (a test, say): what is built is what is shipped.
  process.env.NODE_ENV = 'production';
  await build({
    root: path.join(root, 'src', 'web'),
    configFile: false,
    mode: 'production',
    envDir: false,
    publicDir: false,
    logLevel: 'warn',
    base: '/',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
    build: {
      outDir: path.join(out, 'web'),
      emptyOutDir: false,
      target: 'es2023',
      // The first of each that know light-dark(): of 2023 and 2024. For older ones every colour would be written thrice.
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      // A picture as data: in the style would be one that the policy of the page forbids.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // On a busy machine every callback is slow; nobody could act on it.
      rolldownOptions: { checks: { pluginTimings: false } },
    },
    plugins: [
      finishedRows,
      earlyTheme(path.join(root, 'src', 'web', 'early-theme.js'), modules),
      {
        name: 'note-modules',
        generateBundle(_options, bundle) {
          for (const chunk of Object.values(bundle))
            if (chunk.type === 'chunk') modules.push(...chunk.moduleIds);
        },
      },
    ],
  });
  return modules;
}

/** A script of the page's head, under a name with its hash as the others; it is none of the bundle's modules. */
function earlyTheme(file, modules) {
  const name = path.basename(file);
  return {
    name: 'early-theme',
    async buildStart() {
      const source = (await readFile(file, 'utf8')).replace(/^\s*\/\/.*\n/gm, '');
      this.emitFile({ type: 'asset', name, source });
      modules.push(file);
    },
    transformIndexHtml: {
      order: 'post',
      handler(_page, { bundle }) {
        const { fileName } = Object.values(bundle).find(({ names }) => names?.includes(name));
        return [{ tag: 'script', attrs: { src: `/${fileName}` }, injectTo: 'head-prepend' }];
      },
    },
  };
}
