import type { AdminRole } from '../../contract/rpc/admin-roles.ts';
import { words } from '../words/words.ts';
import { mayOpen } from './may-open.ts';
import { pageAt } from './pages.ts';

/** The properties of a button that opens a page: it is disabled, with the reason, for a role that may not open the page. */
export const rightsToOpen = (role: AdminRole, path: string): { readonly disabled?: true; readonly disabledReason?: string } => {
  const page = pageAt(path);
  return page === undefined || mayOpen(role, page) ? {} : { disabled: true, disabledReason: words.bulk.missingRole };
};
