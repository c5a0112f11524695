import { audit as contract, systemActions } from '../../../contract/admin/audit.ts';
import { services } from '../../../contract/admin/index.ts';
import type { Service } from '../../../contract/rpc/rpc.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';

const changingMethods = ({ name, methods }: Service): string[] =>
  Object.entries(methods)
    // A call of an alternative name (`CreateDomain`) is recorded under the method's own name (`AddDomain`).
    .filter(([, { changes, aliasOf }]) => changes && aliasOf === undefined)
    .map(([method]) => `${name}/${method}`);

/** Every action that the audit log can contain, sorted. */
const operations: readonly string[] = [...Object.values<Service>(services).flatMap(changingMethods), ...Object.values(systemActions)].sort();

export const listOperations = () => adminMethod(contract.methods.ListOperations, { run: async () => ({ operations: [...operations] }) });
