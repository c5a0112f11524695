import type { Permission } from '../../contract/oauth.ts';
import type { AccountView, MailStore } from '../../core/mail/mail-store.ts';
import type { Objects } from '../../core/storage/objects.ts';
import type { Caller } from './caller.ts';
import { MethodError } from './protocol/errors.ts';
import type { WebPushTools } from './push-subscription/web-push-tools.ts';

/** What methods work with; wiring makes it once. */
export type MethodTools = {
  readonly store: MailStore;
  readonly objects: Pick<Objects, 'get'>;
  readonly webPush: WebPushTools;
  /** A new record's Id. */
  readonly newId: () => string;
};

/** An account as a call sees it. `view` is replaced when a call commits, so that later calls of the request see what it did. */
export type OpenAccount = { readonly accountId: string; readonly mayWrite: boolean; view: AccountView };

/** What the method calls of one request share. */
export type RequestContext = {
  readonly caller: Caller;
  readonly tools: MethodTools;
  /** Ids of what this request has created, by creation id, and of what the client said it had (RFC 8620 §3.3). */
  readonly createdIds: Map<string, string>;
  /** @throws MethodError forbidden when the token does not permit it. */
  requirePermission(permission: Permission): void;
  /** @throws MethodError accountNotFound for an account that does not exist or that the caller is no member of. */
  openAccount(accountId: string): Promise<OpenAccount>;
};

/** Views that are being opened, by account id; undefined in the end for an account that has no mail. */
export type OpeningViews = ReadonlyMap<string, Promise<AccountView | undefined>>;

export const requestContext = (caller: Caller, tools: MethodTools, opening: OpeningViews, createdIds: { readonly [creationId: string]: string } = {}): RequestContext => {
  const opened = new Map<string, OpenAccount>();
  return {
    caller,
    tools,
    createdIds: new Map(Object.entries(createdIds)),
    requirePermission(permission) {
      if (!caller.permits(permission)) throw new MethodError('forbidden', `The access token lacks ${permission}.`);
    },
    async openAccount(accountId) {
      const known = opened.get(accountId);
      if (known) return known;
      const membership = caller.memberships.find((candidate) => candidate.accountId === accountId);
      const view = membership && await (opening.get(accountId) ?? tools.store.open(accountId));
      if (!view) throw new MethodError('accountNotFound', 'There is no such account, or it is not yours.');
      const account = { accountId, mayWrite: membership.role !== 'READ', view };
      opened.set(accountId, account);
      return account;
    },
  };
};
