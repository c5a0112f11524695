import { services, type ServiceName } from '../../contract/admin/index.ts';
import { mayCall, type AdminRole } from '../../contract/rpc/admin-roles.ts';
import type { Method } from '../../contract/rpc/rpc.ts';
import { entriesOf } from '../../contract/values/typed-entries.ts';
import type { PageDefinition } from '../page/page-definition.ts';
import { useAdminQuery } from './admin-api.tsx';

/** The role of the person. Until it is known, nothing is hidden: the API refuses what the role lacks. */
export const useRole = (): AdminRole => useAdminQuery('status', 'GetCaller', {}).data?.caller.admin_role ?? 'ALL';

const rolesOf = (service: ServiceName, method: string) => (services[service].methods as { readonly [name: string]: Method })[method]!.roles;

/** Whether a role may open a page: whether it may call the first method of the page. */
export const mayOpen = (role: AdminRole, { methods = {} }: PageDefinition): boolean => {
  const [first] = entriesOf(methods).flatMap(([service, names = []]) => names.map((name) => rolesOf(service, name)));
  return first === undefined || mayCall(role, first);
};
