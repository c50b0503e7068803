export interface Token {
  type: string;
  tag: string;
  nesting: 1 | 0 | -1;
  hidden: boolean;
  content: string;
  children: Token[] | null;
  attrGet(name: string): string | null;
}
export interface InlineState {
  src: string;
  pos: number;
  push(type: string, tag: string, nesting: 1 | 0 | -1): Token;
}
export default class MarkdownIt {
  constructor(options: { html: boolean; linkify: boolean });
  parse(text: string, environment: object): Token[];
  inline: {
    ruler: {
      before(other: string, name: string, rule: (state: InlineState, isSilent: boolean) => boolean): void;
    };
  };
}
