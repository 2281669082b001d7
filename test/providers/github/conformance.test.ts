import { describeProvider } from '../../conformance/provider.ts';
import { openStrictHarness } from './harness.ts';

describeProvider('github (strict server)', () => openStrictHarness());
describeProvider('github (strict server, a project)', () => openStrictHarness({}, true));
