import type { Key } from '../storage/table.ts';

/** Everything that a principal wants to be told by lies in one partition of the mail table, so that one query finds it. */
export const listenerPartition = (principalId: string): string => `push#${principalId}`;

export const socketPrefix = 'socket#';
export const subscriptionPrefix = 'subscription#';

export const listenerKey = (principalId: string, name: string): Key => ({ pk: listenerPartition(principalId), sk: name });
