import { capability } from './core.ts';
import { recordType } from './record.ts';

/** Thread (RFC 8621 §3). */
export const thread = recordType({
  name: 'Thread',
  capability: capability.mail,
  methods: ['get', 'changes'],
  properties: { id: { type: 'Id', immutable: true, serverSet: true }, emailIds: { type: { list: 'Id' }, serverSet: true, computed: true } },
});
