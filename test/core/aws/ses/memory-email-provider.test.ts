import { emailProviderContract } from '../../../port-suites/email-provider-suite.ts';
import { memoryEmailProvider } from '../../../fakes/email-provider.ts';

describe('the sending provider in memory', () => {
  emailProviderContract(async () => memoryEmailProvider());
});
