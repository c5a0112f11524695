import { clientRegistrarContract } from '../../contracts/client-registrar-contract.ts';
import { memoryClientRegistrar } from '../../fakes/client-registrar.ts';

describe('the client registrar in memory', () => {
  clientRegistrarContract(async () => ({ registrar: memoryClientRegistrar() }));
});
