import type { Table } from '../../core/storage/table.ts';

/**
 * Runs `act` immediately before the next write to the mail table.
 * @returns the result of `act`, and all later transactions of the table as JSON, except those of `act`.
 */
export const beforeNextWrite = <T>({ mail }: { readonly mail: Table }, act: () => Promise<T>): { readonly first: Promise<T>; readonly sent: string[] } => {
  const write = mail.write.bind(mail);
  const { promise: first, resolve, reject } = Promise.withResolvers<T>();
  const sent: string[] = [];
  mail.write = async (writes) => {
    mail.write = write;
    await act().then(resolve, reject);
    mail.write = (next) => {
      sent.push(transactionText(next));
      return write(next);
    };
    await mail.write(writes);
  };
  return { first, sent };
};

const transactionText = (writes: Parameters<Table['write']>[0]): string => JSON.stringify(writes.map((each) => ({ ...each, inTable: each.inTable?.name })));
