import type { aliases } from '../../../contract/admin/aliases.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import type { AliasMoves } from '../../../core/directory/aliases/alias-moves.ts';
import type { Aliases } from '../../../core/directory/aliases/aliases.ts';
import type { Domains } from '../../../core/directory/domains/domains.ts';
import type { AdminMethods } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { NewId } from '../../../core/runtime/ids.ts';
import { createAlias } from './create-alias.ts';
import { deleteAlias } from './delete-alias.ts';
import { listAccountAliases } from './list-account-aliases.ts';
import { listAliases } from './list-aliases.ts';
import { moveAlias } from './move-alias.ts';
import { setPrimaryAlias } from './set-primary-alias.ts';
import { updateAlias } from './update-alias.ts';

type AliasesDependencies = {
  readonly aliases: Aliases;
  readonly accounts: Pick<Accounts, 'findAll'>;
  readonly aliasMoves: AliasMoves;
  readonly domains: Pick<Domains, 'find'>;
  readonly newId: NewId;
  readonly clock: Clock;
};

/** The methods of /aliases (docs/specification.md#aliases). */
export const aliasesService = (dependencies: AliasesDependencies): AdminMethods<typeof aliases> => ({
  ListAccountAliases: listAccountAliases(dependencies),
  ListAliases: listAliases(dependencies),
  CreateAlias: createAlias(dependencies),
  UpdateAlias: updateAlias(dependencies),
  SetPrimaryAlias: setPrimaryAlias(dependencies),
  MoveAlias: moveAlias(dependencies),
  DeleteAlias: deleteAlias(dependencies),
});
