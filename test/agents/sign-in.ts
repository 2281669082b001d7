// How each program is told of the model on this machine, as a person would tell it of a provider: files in the home and
// variables. Nothing here widens what a preset allows.
import type { PresetName } from '../../src/core/config/agent-config.ts';

interface SignIn {
  /** Files by their path in the home. */
  files(url: string): Record<string, string>;
  env(url: string): Record<string, string>;
  /** Keys of agent.json beside preset and cwd, where the program itself is started. */
  config: Record<string, unknown>;
}

const KEY = 'sk-test-0123456789abcdef';

export const SIGN_IN: Readonly<Record<PresetName, SignIn>> = {
  claude: {
    files: () => ({}),
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
    config: {},
  },
  codex: {
    files: (url) => ({
      '.codex/config.toml': `model_provider = "here"
model = "gpt-5"
[model_providers.here]
name = "here"
base_url = "${url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
`,
    }),
    env: () => ({ OPENAI_API_KEY: KEY }),
    // Newer models call tools in a form that the mock does not speak.
    config: { model: 'gpt-5' },
  },
  gemini: {
    files: () => ({ '.gemini/settings.json': '{"security":{"auth":{"selectedType":"gemini-api-key"}}}' }),
    env: (url) => ({ GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: url }),
    config: {},
  },
  opencode: {
    files: (url) => ({
      '.config/opencode/opencode.json': JSON.stringify({
        provider: {
          here: {
            npm: '@ai-sdk/openai-compatible',
            name: 'here',
            options: { baseURL: `${url}/v1`, apiKey: KEY },
            models: Object.fromEntries(
              ['m', 'gpt-5'].map((name) => [name, { name, limit: { context: 200_000, output: 8_000 } }]),
            ),
          },
        },
        model: 'here/m',
        autoupdate: false,
      }),
    }),
    env: () => ({ OPENCODE_DISABLE_MODELS_FETCH: '1' }),
    config: {},
  },
  copilot: {
    files: () => ({}),
    env: (url) => ({
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: KEY,
      COPILOT_MODEL: 'gpt-5',
    }),
    config: {},
  },
};
