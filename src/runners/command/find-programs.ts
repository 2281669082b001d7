// Which of the known coding agents are installed here, and signed in.
import { PRESET_NAMES, type PresetName } from '../../core/config/agent-config.ts';
import type { Effects } from '../../effects.ts';
import { findProgram } from '../process/launch.ts';
import { isSignedIn } from './examine.ts';
import { PRESETS } from './presets.ts';

export interface CodingAgent {
  preset: PresetName;
  signedIn: boolean;
  /** How to sign in, one clause. */
  signIn: string;
}

/** Those whose program is on the PATH, in the order of the presets. */
export async function findCodingAgents({ env }: Pick<Effects, 'env'>): Promise<CodingAgent[]> {
  const looks = PRESET_NAMES.map(async (name) => {
    const preset = PRESETS[name];
    if ((await findProgram(preset.program, env.PATH ?? '', '/')) === null) return [];
    return [{ preset: name, signedIn: await isSignedIn(preset, env), signIn: preset.signIn }];
  });
  return (await Promise.all(looks)).flat();
}
