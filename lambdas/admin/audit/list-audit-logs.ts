import { audit as contract } from '../../../contract/admin/audit.ts';
import type { AuditEntries } from '../../../core/directory/audit-log.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';

type Dependencies = { readonly entries: Pick<AuditEntries, 'list'> };

export const listAuditLogs = ({ entries }: Dependencies) =>
  adminMethod(contract.methods.ListAuditLogs, {
    async run({ operation, actor, page_size }, { pageAfter, nextPageToken }) {
      const { items, next } = await entries.list({ operation, actor }, pageAfter, page_size);
      return { audit_logs: [...items], next_page_token: await nextPageToken(next) };
    },
  });
