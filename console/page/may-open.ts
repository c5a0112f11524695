import { services, type ServiceName } from '../../contract/admin/index.ts';
import type { MethodName } from '../../contract/client.ts';
import { mayCall, type AdminRole } from '../../contract/rpc/admin-roles.ts';
import type { Method } from '../../contract/rpc/rpc.ts';
import { entriesOf } from '../../contract/values/typed-entries.ts';
import { words } from '../words/words.ts';
import type { PageDefinition } from './page-definition.ts';

const rolesOf = (service: ServiceName, method: string) => (services[service].methods as { readonly [name: string]: Method })[method]!.roles;

/** Whether a role may call a method. A part of a page that the role may not read is left out. */
export const mayCallMethod = <S extends ServiceName>(role: AdminRole, service: S, method: MethodName<S>): boolean => mayCall(role, rolesOf(service, method));

/** A method by its service and its name. */
export type MethodReference = { readonly [S in ServiceName]: readonly [service: S, method: MethodName<S>] }[ServiceName];

/** The properties of a button for a method: it is disabled, with the reason, for a role that may not call the method. */
export const rightsOf = (role: AdminRole, [service, method]: MethodReference): { readonly disabled?: true; readonly disabledReason?: string } =>
  mayCall(role, rolesOf(service, method)) ? {} : { disabled: true, disabledReason: words.bulk.missingRole };

/** Whether a role may open a page: whether it may call the first method of the page. */
export const mayOpen = (role: AdminRole, { methods = {} }: PageDefinition): boolean => {
  const [first] = entriesOf(methods).flatMap(([service, names = []]) => names.map((name) => rolesOf(service, name)));
  return first === undefined || mayCall(role, first);
};
