import { accounts as contract, type Similar } from '../../../contract/admin/accounts.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';

export const findSimilar = (dependencies: { readonly findSimilar: (query: string) => Promise<Similar[]> }) =>
  adminMethod(contract.methods.FindSimilar, {
    prefetch: ({ query }) => dependencies.findSimilar(query),
    run: async (_request, _call, similar) => ({ similar }),
  });
