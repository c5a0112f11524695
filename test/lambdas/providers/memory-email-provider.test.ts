import { emailProviderContract } from '../../contracts/email-provider-contract.ts';
import { memoryEmailProvider } from '../../fakes/email-provider.ts';

describe('the sending provider in memory', () => {
  emailProviderContract(async () => memoryEmailProvider());
});
