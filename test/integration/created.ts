import { appendFileSync } from 'node:fs';
import { deployed } from './deployment.ts';

/** The admin method that removes what a test created on AWS. */
export type Removal = { readonly method: string; readonly request: object };

type Answer = { user?: { user_id: string }; account?: { account_id: string }; domain?: { id: string }; case_id?: string };

const removals: { readonly [method: string]: (answer: Answer) => Removal } = {
  'users/CreateUser': ({ user }) => ({ method: 'users/DeleteUser', request: { user_id: user?.user_id } }),
  'accounts/CreateAccount': ({ account }) => ({ method: 'accounts/DeleteAccount', request: { account_id: account?.account_id } }),
  'domains/AddDomain': ({ domain }) => ({ method: 'domains/RemoveDomain', request: { id: domain?.id } }),
  'support/OpenSupportCase': ({ case_id }) => ({ method: 'support/CloseSupportCase', request: { case_id } }),
};

/** Records how to remove what a successful admin call has created, for the end of all tests. In a sandbox it stays. */
export const recordCreation = (method: string, answer: unknown): void => {
  const removal = removals[method]?.(answer as Answer);
  if (removal && deployed.createdFile !== undefined) appendFileSync(deployed.createdFile, `${JSON.stringify(removal)}\n`);
};
