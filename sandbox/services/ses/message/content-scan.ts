import PostalMime from 'postal-mime';

/** The test strings for spam and virus scanners, in pieces, so that scanners do not report this file. */
const spamTest = ['XJS*C4JDBQADN1.NSBN3*2IDNEN', 'GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL', 'C.34X'].join('*');
const virusTest = [String.raw`X5O!P%@AP[4\PZX54(P^)7CC)7}`, 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!', 'H+H*'].join('$');

export type Verdict = 'PASS' | 'FAIL' | 'DISABLED';
export type Scan = { readonly spam: Verdict; readonly virus: Verdict };

/** Maximum octets of a message that is decoded for the scan. */
const maximumDecodedOctets = 8 * 1024 * 1024;

const contents = async (message: Buffer): Promise<string[]> => {
  if (message.length > maximumDecodedOctets) return [];
  const { text, html, attachments } = await PostalMime.parse(message, { attachmentEncoding: 'arraybuffer' }).catch(() => ({
    text: '',
    html: '',
    attachments: [],
  }));
  return [
    text ?? '',
    html ?? '',
    ...attachments.map(({ content }) => (typeof content === 'string' ? content : Buffer.from(new Uint8Array(content)).toString('latin1'))),
  ];
};

/** The verdicts of SES's scanners: FAIL for the test strings for spam (GTUBE) and viruses (EICAR), else PASS. */
export const scan = async (message: Buffer): Promise<Scan> => {
  const texts = [message.toString('latin1'), ...(await contents(message))];
  const verdict = (test: string): Verdict => (texts.some((text) => text.includes(test)) ? 'FAIL' : 'PASS');
  return { spam: verdict(spamTest), virus: verdict(virusTest) };
};

/** The verdicts of a rule whose scan is disabled. */
export const notScanned: Scan = { spam: 'DISABLED', virus: 'DISABLED' };
