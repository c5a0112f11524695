import { setup as contract } from '../../../contract/admin/setup.ts';
import type { Setup } from '../../../core/directory/setup.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { changesBetween } from '../../../core/rpc/audit.ts';

type Dependencies = { readonly setup: Pick<Setup, 'find' | 'dismissWelcome'> };

export const dismissWelcome = ({ setup }: Dependencies) =>
  adminMethod(contract.methods.DismissWelcome, {
    async run({ dismissed }, { audit }) {
      const { welcomeDismissed: wasDismissed } = await setup.find();
      const changes = changesBetween({ welcome_dismissed: wasDismissed }, { welcome_dismissed: dismissed }, ['welcome_dismissed']);
      audit.describe({ entity_id: 'setup', entity_name: 'welcome', changes });
      await setup.dismissWelcome(dismissed, audit.successWrites());
      return {};
    },
  });
