import { ButtonDropdown } from '@cloudscape-design/components';
import { Suspense, useState, type ReactNode } from 'react';
import type { ServiceName } from '../../../contract/admin/index.ts';
import type { AdminRole } from '../../../contract/rpc/admin-roles.ts';
import { callMethod, type MethodName, type RequestOf, type ResponseOf } from '../../api/admin-api.tsx';
import type { AdminClient } from '../../api/admin-client.ts';
import { useRole } from '../../api/role.ts';
import { loadedLater } from '../../page/load-part.tsx';
import { mayCallMethod } from '../../page/may-open.ts';
import { words } from '../../words/words.ts';
import type { BulkDialogProps } from './bulk-dialog.tsx';

/** An action on the ticked rows of a list: one call for each row. */
export type BulkAction<Item> = {
  readonly text: string;
  readonly appliesTo: (item: Item) => boolean;
  /** The text of the confirmation, besides the names. */
  readonly consequences: (items: readonly Item[]) => ReactNode;
  /** Whether the name, or the number of rows, is typed before. */
  readonly isTyped?: boolean;
  /** The service whose shown data is read again afterwards. */
  readonly service: ServiceName;
  readonly mayRun: (role: AdminRole) => boolean;
  /** Makes the change, and returns a remark on it. */
  readonly run: (client: AdminClient, item: Item) => Promise<string | undefined>;
};

type BulkCall<Item, Request, Response> = Pick<BulkAction<Item>, 'text' | 'appliesTo' | 'consequences' | 'isTyped'> & {
  readonly request: (item: Item) => Request;
  /** A remark on a row after the change. */
  readonly remark?: (response: Response) => string;
};

/** An action by a method of the API, for the roles that may call it. */
export const bulkAction = <Item, S extends ServiceName, M extends MethodName<S>>(
  service: S,
  method: M,
  { request, remark, ...action }: BulkCall<Item, RequestOf<S, M>, ResponseOf<S, M>>,
): BulkAction<Item> => ({
  ...action,
  service,
  mayRun: (role) => mayCallMethod(role, service, method),
  run: async (client, item) => {
    const response = await callMethod(client, service, method, request(item));
    return remark?.(response);
  },
});

export type Bulk<Item> = { readonly actions: readonly BulkAction<Item>[]; readonly nameOf: (item: Item) => string };

/** The ticked rows, by their ids. A row that is no longer in the list, or does not match the search, does not count. */
export const useTicks = <Item,>(items: readonly Item[] | undefined, idOf: (item: Item) => string, matches: (item: Item) => boolean) => {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  return {
    ticked: ids.size === 0 ? [] : (items ?? []).filter((item) => ids.has(idOf(item)) && matches(item)),
    tick: (next: readonly Item[]): void => setIds(new Set(next.map(idOf))),
    untick: (gone: Item): void => setIds((known) => new Set([...known].filter((id) => id !== idOf(gone)))),
  };
};

// Few open it: it is no part of the first load.
const BulkDialog = loadedLater<BulkDialogProps>(async () => (await import('./bulk-dialog.tsx')).BulkDialog);

type BulkButtonProps<Item> = Bulk<Item> & { readonly ticked: readonly Item[]; readonly untick: (item: Item) => void };

/** The menu of actions on the ticked rows. Each says for how many of them it is. */
export const BulkButton = <Item extends object>({ actions, nameOf, ticked, untick }: BulkButtonProps<Item>) => {
  const role = useRole();
  const [open, setOpen] = useState<Omit<BulkDialogProps, 'onClose'>>();
  const applicable = actions.map((action) => ticked.filter(action.appliesTo));
  const choose = (index: number): void => {
    const [{ run, consequences, ...action }, items] = [actions[index]!, applicable[index]!];
    setOpen({
      ...action,
      consequences: consequences(items),
      rows: items.map((item) => ({ name: nameOf(item), run: (client) => run(client, item), untick: () => untick(item) })),
    });
  };
  return (
    <>
      <ButtonDropdown
        disabled={ticked.length === 0}
        items={actions.map(({ text, mayRun }, index) => {
          const count = applicable[index]!.length;
          const disabledReason = !mayRun(role) ? words.bulk.missingRole : count === 0 ? words.bulk.none : undefined;
          return { id: String(index), text: words.bulk.count(text, count), ...(disabledReason !== undefined && { disabled: true, disabledReason }) };
        })}
        onItemClick={({ detail: { id } }) => choose(Number(id))}
      >
        {ticked.length === 0 ? words.bulk.actions : words.bulk.count(words.bulk.actions, ticked.length)}
      </ButtonDropdown>
      {open && (
        <Suspense>
          <BulkDialog {...open} onClose={() => setOpen(undefined)} />
        </Suspense>
      )}
    </>
  );
};
